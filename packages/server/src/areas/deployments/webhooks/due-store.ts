import type { Database } from '../../../db/port.js'
import { unit } from '../../../db/unit.js'
import type { Deliveries } from '../../../ports/outbound/deliveries/deliverer.js'
import { claiming, dueQueries, dueReads } from '../../../ports/outbound/deliveries/due-queries.js'

const queries = dueQueries({ table: 'webhook_delivery', webhook: 'deployment_id', request: 'request_id' })

const claimDue = unit(import.meta, 'claimDue', claiming(queries))

/** Due deliveries, and claims on them. System store: those of all accounts. */
export const dueStore = (db: Database): Pick<Deliveries, 'dueHosts' | 'nextAccount' | 'nextWebhook' | 'claim'> => ({
  ...dueReads(db, queries),
  claim: (webhooks, now, leaseMs) => db.write(claimDue, webhooks, now, now + leaseMs),
})
