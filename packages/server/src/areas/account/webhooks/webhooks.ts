import type { Logger } from 'pino'
import type { Database } from '../../../db/port.js'
import type { Area } from '../../../http/area.js'
import type { MailOutbox } from '../../../ports/mail/outbox/outbox.js'
import { Deliverer } from '../../../ports/outbound/deliveries/deliverer.js'
import type { UserTargets } from '../../../ports/outbound/port.js'
import type { Vault } from '../../../ports/vault/port.js'
import { eventDeliveries } from './delivery-store.js'
import { webhookHandlers } from './handlers.js'
import { webhookNotices } from './notices.js'
import { outboxStore } from './outbox-store.js'
import { EventReader } from './reader.js'
import { webhookStore } from './webhook-store.js'

interface AccountWebhooks extends Required<Pick<Area<'account'>, 'jobs' | 'mails' | 'stop' | 'close'>> {
  readonly handlers: ReturnType<typeof webhookHandlers>
}

interface WebhookDependencies {
  readonly database: Database
  readonly vault: Vault
  readonly targets: UserTargets
  readonly outbox: MailOutbox
  readonly log: Logger
  /** The server's address for links. */
  readonly baseUrl: string
}

/** The webhooks of accounts: the reader of events, the deliverer, and the e-mails about failures. */
export function accountWebhooks({
  database,
  vault,
  targets,
  outbox,
  log,
  baseUrl,
}: WebhookDependencies): AccountWebhooks {
  const deliverer = new Deliverer({
    name: 'account.webhook-deliveries',
    deliveries: eventDeliveries(database, vault, log),
    targets,
    log,
  })
  const reader = new EventReader({
    db: database,
    outbox: outboxStore(database),
    onAdded: () => {
      deliverer.wake()
    },
  })
  const notices = webhookNotices(database, outbox, baseUrl)
  const wake = () => {
    reader.wake()
    // Those that waited while their webhook was paused.
    deliverer.wake()
  }
  return {
    handlers: webhookHandlers({ database, webhooks: webhookStore(database, vault), targets, wake }),
    jobs: [reader.job, deliverer.job, ...notices.jobs],
    mails: notices.mails,
    stop: () => {
      reader.stop()
      deliverer.stop()
    },
    close: () => deliverer.close(),
  }
}
