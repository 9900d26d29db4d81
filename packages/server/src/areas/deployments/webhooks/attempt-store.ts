import { sql } from 'kysely'
import type { Reader, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { attemptsKept, type FinishedAttempt } from '../../../ports/outbound/deliveries/attempt.js'
import type { Outcome } from '../../../ports/outbound/deliveries/retry.js'

/** The attempts to forward the requests of webhooks. System queries: the caller has checked or locked the webhook. */

/** An attempt in the detail of a request. */
export interface StoredAttempt extends FinishedAttempt, Pick<Outcome, 'status' | 'error'> {}

interface RequestKey {
  readonly webhookId: number
  readonly requestId: number
}

/** Replaces the attempt in the slot, which is the oldest one. */
const put = prepared((db, p: StoredAttempt & RequestKey & { slot: number }) =>
  db
    .insertInto('webhook_attempt')
    .values({
      deployment_id: p.webhookId,
      request_id: p.requestId,
      slot: p.slot,
      started_at: p.startedAt,
      duration_ms: p.durationMs,
      status: p.status,
      error: p.error,
      answer: p.answer,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['deployment_id', 'request_id', 'slot'])
        .doUpdateSet((row) => ({
          started_at: row.ref('excluded.started_at'),
          duration_ms: row.ref('excluded.duration_ms'),
          status: row.ref('excluded.status'),
          error: row.ref('excluded.error'),
          answer: row.ref('excluded.answer'),
        })),
    ),
)

/** @param number of the attempt among all of the request, from 1 */
export function storeAttempt(tx: Transaction, attempt: StoredAttempt & RequestKey, number: number): void {
  tx.send(put, { ...attempt, slot: (number - 1) % attemptsKept })
}

/** Served by the primary key: a request has at most `attemptsKept`. */
const ofRequest = prepared((db, p: RequestKey) =>
  db
    .selectFrom('webhook_attempt')
    .where('deployment_id', '=', p.webhookId)
    .where('request_id', '=', p.requestId)
    .select(['started_at as startedAt', 'duration_ms as durationMs', 'status', 'error', 'answer'])
    .orderBy('started_at', 'desc'),
)

/** Newest first. */
export const attemptsOf = (reader: Reader, webhookId: number, requestId: number): Promise<StoredAttempt[]> =>
  reader.all(ofRequest, { webhookId, requestId })

/** Served by the primary key. Those of requests with a waiting delivery stay, as the requests do. */
const removeOld = prepared((db, p: { webhookId: number; upTo: number }) =>
  db
    .deleteFrom('webhook_attempt')
    .where('deployment_id', '=', p.webhookId)
    .where('request_id', '<=', p.upTo)
    .where('request_id', 'not in', (from) =>
      from
        .selectFrom('webhook_delivery')
        .where('deployment_id', '=', p.webhookId)
        .where('request_id', '<=', p.upTo)
        .where('due_at', 'is not', null)
        .select('request_id'),
    ),
)

/** Removes the attempts of the requests that `removeUpTo` removes. */
export function removeAttemptsUpTo(tx: Transaction, webhookId: number, upTo: number): void {
  tx.send(removeOld, { webhookId, upTo })
}

/** Served by the primary keys. */
const removeOldest = prepared((db, p: { webhookId: number; rows: number }) =>
  db
    .deleteFrom('webhook_attempt')
    .where('deployment_id', '=', p.webhookId)
    .where('request_id', '<=', (from) =>
      from
        .selectFrom(
          from
            .selectFrom('webhook_request')
            .where('deployment_id', '=', p.webhookId)
            .select('id')
            .orderBy('id')
            .limit(p.rows)
            .as('oldest'),
        )
        .select(sql<number>`max(oldest.id)`.as('id')),
    ),
)

/** Removes the attempts of the oldest requests of a deleted webhook. */
export function removeAttemptsOfOldest(tx: Transaction, webhookId: number, rows: number): void {
  tx.send(removeOldest, { webhookId, rows })
}
