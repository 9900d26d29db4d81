import type { Database } from '../../db/port.js'
import type { Area } from '../../http/area.js'
import type { DiskSpace } from '../../ports/space/port.js'
import type { Vault } from '../../ports/vault/port.js'
import { messagesOfConsole, smsHandlers } from './handlers.js'
import { intakeRoute } from './intake-route.js'
import { keyStore } from './keys/store.js'
import { deletionStore } from './messages/deletion-store.js'
import { intakeStore } from './messages/intake-store.js'
import { messageStore } from './messages/read-store.js'
import { smsOverview } from './messages/overview.js'
import { retentionJob, type MessageLimits } from './messages/retention.js'
import { senderSearch } from './messages/search-store.js'

interface SmsAreaDependencies {
  readonly database: Database
  readonly vault: Vault
  readonly space: DiskSpace
  readonly limits: MessageLimits
}

/** SMS messages that devices forward, and the keys of these devices. */
export function smsArea({ database, vault, space, limits }: SmsAreaDependencies): Area<'sms'> {
  const keys = keyStore(database, vault)
  const messages = messageStore(database)
  return {
    handlers: smsHandlers({ keys, messages }),
    console: { sms: messagesOfConsole(deletionStore(database)) },
    overview: smsOverview(messages),
    search: senderSearch(database),
    apiEndpoints: [intakeRoute(intakeStore(database, limits.messagesMax), { vault, space })],
    jobs: [retentionJob(database, limits)],
  }
}
