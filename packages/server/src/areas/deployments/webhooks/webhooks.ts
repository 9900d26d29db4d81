import type { Logger } from 'pino'
import type { ConsoleAreas } from '@svc/contract'
import type { Database } from '../../../db/port.js'
import type { EndpointRoute } from '../../../http/area.js'
import type { Handlers } from '../../../http/handler.js'
import type { UserTargets } from '../../../ports/outbound/port.js'
import type { DiskSpace } from '../../../ports/space/port.js'
import type { WithinMemory } from '../large-bodies.js'
import { Deliverer } from './deliverer.js'
import { deliveryStore } from './delivery-store.js'
import { webhookHandlers } from './handlers.js'
import { receiveStore } from './receive-store.js'
import { redeliveryStore } from './redelivery-store.js'
import { requestStore } from './request-store.js'
import { webhookRoutes } from './route.js'

interface WebhookAreaDependencies {
  readonly database: Database
  readonly targets: UserTargets
  readonly withinMemory: WithinMemory
  readonly space: DiskSpace
  readonly log: Logger
}

interface WebhookMembers {
  readonly deliverer: Deliverer
  readonly routes: readonly EndpointRoute[]
  readonly console: Handlers<ConsoleAreas['webhooks']>
}

/** Webhooks: their addresses, what the console shows of them, and the worker that forwards. */
export function webhookParts({ database, targets, space, withinMemory, log }: WebhookAreaDependencies): WebhookMembers {
  const deliverer = new Deliverer({ deliveries: deliveryStore(database), targets, log })
  const onWaiting = () => {
    deliverer.wake()
  }
  return {
    deliverer,
    routes: webhookRoutes({ store: receiveStore(database), space, withinMemory, onWaiting }),
    console: webhookHandlers({ requests: requestStore(database), redeliveries: redeliveryStore(database), onWaiting }),
  }
}
