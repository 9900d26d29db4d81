import type { Logger } from 'pino'
import type { Database } from '../../../db/port.js'
import type { EndpointRoute } from '../../../http/area.js'
import type { UserTargets } from '../../../ports/outbound/port.js'
import type { DiskSpace } from '../../../ports/space/port.js'
import type { WithinMemory } from '../large-bodies.js'
import { Deliverer } from '../../../ports/outbound/deliveries/deliverer.js'
import { deliveryStore } from './delivery-store.js'
import { redeliveriesOfConsole, webhookHandlers } from './handlers.js'
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
  readonly handlers: ReturnType<typeof webhookHandlers>
  readonly console: ReturnType<typeof redeliveriesOfConsole>
}

/** Webhooks: their addresses, what they have received, and the worker that forwards. */
export function webhookParts({ database, targets, space, withinMemory, log }: WebhookAreaDependencies): WebhookMembers {
  const deliverer = new Deliverer({ name: 'deployments.deliveries', deliveries: deliveryStore(database), targets, log })
  const onWaiting = () => {
    deliverer.wake()
  }
  const redeliveries = redeliveryStore(database)
  return {
    deliverer,
    routes: webhookRoutes({ store: receiveStore(database), space, withinMemory, onWaiting }),
    handlers: webhookHandlers({ requests: requestStore(database), redeliveries, onWaiting }),
    console: redeliveriesOfConsole({ redeliveries, onWaiting }),
  }
}
