import type { Database } from '../../db/port.js'
import type { Area } from '../../http/area.js'
import { readJournal } from '../../journal/read-journal.js'
import type { OrderLimits } from '../../ports/certificates/acme/order-limits.js'
import type { MailOutbox } from '../../ports/mail/outbox/outbox.js'
import type { Vault } from '../../ports/vault/port.js'
import { tlsHandlers, type TlsDependencies } from './handlers.js'
import { certificateNotices } from './notices.js'
import { tlsOverview } from './overview-store.js'
import { certificateSearch } from './search-store.js'
import { tlsStore } from './store.js'

interface TlsAreaDependencies extends Pick<TlsDependencies, 'isOn' | 'canonicalZone'> {
  readonly database: Database
  readonly vault: Vault
  readonly limits: OrderLimits
  readonly outbox: MailOutbox
  /** The server's address for links. */
  readonly baseUrl: string
}

/** Certificates that svc orders for the zones of accounts. */
export const tlsArea = ({ database, limits, outbox, baseUrl, ...parts }: TlsAreaDependencies): Area<'tls'> => ({
  handlers: tlsHandlers({ ...parts, certificates: tlsStore(database, limits), journal: readJournal(database) }),
  overview: tlsOverview(database, parts.isOn),
  search: certificateSearch(database),
  ...certificateNotices(database, outbox, baseUrl),
  thingNames: { zone: (_, given) => parts.canonicalZone(String(given)) },
})
