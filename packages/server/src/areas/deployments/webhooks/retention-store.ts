import { sql } from 'kysely'
import type { Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { removeAttemptsOfOldest, removeAttemptsUpTo } from './attempt-store.js'

/** Which requests of a webhook are kept. System queries: the caller has locked the row of the webhook, except at its deletion. */

/** How many requests of a webhook are kept. Older ones whose delivery is waiting are kept until it ends. */
export const keptMax = 500

/** On PostgreSQL, writes that lock the row of one webhook run one after another. */
export const webhookLockKey = (webhookId: number): string => `webhook ${String(webhookId)}`

/** Served by the primary key. Of the requests up to `upTo`, only those with a waiting delivery have remained. */
const removeRequests = prepared((db, p: { webhookId: number; upTo: number }) =>
  db
    .deleteFrom('webhook_request')
    .where('deployment_id', '=', p.webhookId)
    .where('id', '<=', p.upTo)
    .where('id', 'not in', (from) =>
      from
        .selectFrom('webhook_delivery')
        .where('deployment_id', '=', p.webhookId)
        .where('request_id', '<=', p.upTo)
        .where('due_at', 'is not', null)
        .select('request_id'),
    ),
)

/** Served by the primary key. */
const removeDeliveries = prepared((db, p: { webhookId: number; upTo: number }) =>
  db
    .deleteFrom('webhook_delivery')
    .where('deployment_id', '=', p.webhookId)
    .where('request_id', '<=', p.upTo)
    .where('due_at', 'is', null),
)

/** Removes the requests up to an id, except those with a waiting delivery. @returns how many it removed */
export async function removeUpTo(tx: Transaction, webhookId: number, upTo: number): Promise<number> {
  if (upTo <= 0) return 0
  removeAttemptsUpTo(tx, webhookId, upTo)
  tx.send(removeDeliveries, { webhookId, upTo })
  return tx.run(removeRequests, { webhookId, upTo })
}

const addToKept = prepared((db, p: { webhookId: number; added: number }) =>
  db
    .updateTable('deployment')
    .set({ kept: sql<number>`kept + cast(${p.added} as integer)` })
    .where('id', '=', p.webhookId),
)

/** Changes the number of kept requests. */
export function addKept(tx: Transaction, webhookId: number, added: number): void {
  if (added !== 0) tx.send(addToKept, { webhookId, added })
}

/** Served by the primary keys. */
const removeOldest = prepared((db, p: { webhookId: number; rows: number }) =>
  db
    .deleteFrom('webhook_request')
    .where('deployment_id', '=', p.webhookId)
    .where('id', 'in', (from) =>
      from
        .selectFrom('webhook_request')
        .where('deployment_id', '=', p.webhookId)
        .select('id')
        .orderBy('id')
        .limit(p.rows),
    ),
)

const removeAllDeliveries = prepared((db, p: { webhookId: number }) =>
  db.deleteFrom('webhook_delivery').where('deployment_id', '=', p.webhookId),
)

/** Removes the oldest requests of a deleted webhook, and all of its deliveries. @returns how many requests it removed */
export async function removeRequestsOf(tx: Transaction, webhookId: number, rows: number): Promise<number> {
  tx.send(removeAllDeliveries, { webhookId })
  removeAttemptsOfOldest(tx, webhookId, rows)
  return tx.run(removeOldest, { webhookId, rows })
}
