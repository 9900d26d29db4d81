import type { Database } from '../../db/port.js'
import type { Area } from '../../http/area.js'
import { smsHandlers } from './handlers.js'
import { intakeRoute } from './intake-route.js'
import { keyStore } from './keys/store.js'
import { intakeStore } from './messages/intake-store.js'
import { messageStore } from './messages/read-store.js'
import { retentionJob, type MessageLimits } from './messages/retention.js'

interface SmsAreaParts {
  readonly database: Database
  readonly limits: MessageLimits
}

/** SMS messages that devices forward, and the keys of these devices. */
export const smsArea = ({ database, limits }: SmsAreaParts): Area<'sms'> => ({
  handlers: smsHandlers({ keys: keyStore(database), messages: messageStore(database) }),
  apiEndpoints: [intakeRoute(intakeStore(database, limits.messagesMax))],
  jobs: [retentionJob(database, limits)],
})
