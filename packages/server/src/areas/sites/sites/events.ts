import type { Transaction } from '../../../db/port.js'
import { recordEvent, type AccountEvent, type EventFields } from '../../../journal/event-store.js'
import type { StoredSite } from './site.js'

/** Records the events of sites, in the transactions of their changes. */

export type SiteEvent = Omit<AccountEvent<'sites'>, 'area'>

export const recordSiteEvent = (tx: Transaction, event: SiteEvent): void => {
  recordEvent(tx, { ...event, area: 'sites' })
}

/** The fields of the served version in the events of a site. `version` is what `sites.restore` takes. */
export const servedFields = ({ versionId, files, size }: StoredSite): EventFields => ({
  version: versionId,
  files,
  size,
})
