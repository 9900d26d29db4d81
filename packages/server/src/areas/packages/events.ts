import type { Transaction } from '../../db/port.js'
import { recordEvent, type AccountEvent, type EventFields } from '../../journal/event-store.js'
import type { StoredPackage } from './package.js'

/** Records the events of packages, in the transactions of their changes. */

export const recordPackageEvent = (tx: Transaction, event: Omit<AccountEvent<'packages'>, 'area'>): void => {
  recordEvent(tx, { ...event, area: 'packages' })
}

/** The fields of a package in its events. */
export const detailFields = ({ name, description }: Pick<StoredPackage, 'name' | 'description'>): EventFields => ({
  name,
  description,
})
