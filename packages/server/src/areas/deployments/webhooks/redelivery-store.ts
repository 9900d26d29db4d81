import { badRequest, type ApiError } from '@svc/contract/errors'
import { isIn } from '../../../db/json-list.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Account } from '../../../shared/account.js'
import type { Actor } from '../../../shared/actor.js'
import type { Deployment } from '../deployment.js'
import { recordDeploymentEvent } from '../events.js'
import { lockOwnDeployment } from '../store.js'
import { roomToWait, storeDelivery } from './delivery-store.js'
import { missing, ownWebhookLockKey, requireWebhook } from './request-store.js'

/** How many deliveries begin again in one transaction, so that other writes do not wait long. */
const batchMax = 100

/** Enough for all deliveries of a webhook: it has at most 500 kept requests, and 500 older ones that wait. */
const batchesMax = 10

/** Served by the primary key. */
const truncatedOf = prepared((db, p: { webhookId: number; requestId: number }) =>
  db
    .selectFrom('webhook_request')
    .where('deployment_id', '=', p.webhookId)
    .where('id', '=', p.requestId)
    .select('truncated'),
)

interface Again {
  readonly accountId: number
  readonly webhookId: number
  readonly host: string
  /** Deliveries that have failed again since then are left out. */
  readonly now: number
  readonly rows: number
}

/**
 * Begins deliveries that fail again, those that fail for the longest time first. Served by webhook_delivery_failing
 * (account_id, deployment_id, failing_since).
 * @param dueAt `is` for those that have been given up, `is not` for those that wait for their next attempt
 */
const beginAgain = (dueAt: 'is' | 'is not') =>
  prepared((db, p: Again, dialect) =>
    db
      .updateTable('webhook_delivery')
      .set({
        host: p.host,
        state: 'waiting',
        due_at: p.now,
        attempts: 0,
        last_status: null,
        last_error: null,
        failing_since: null,
        updated_at: p.now,
      })
      .where('deployment_id', '=', p.webhookId)
      .where(
        isIn(
          'request_id',
          db
            .selectFrom('webhook_delivery as failing')
            .where('account_id', '=', p.accountId)
            .where('deployment_id', '=', p.webhookId)
            .where('failing_since', '<=', p.now)
            .where('due_at', dueAt, null)
            .where('request_id', 'not in', (from) =>
              from
                .selectFrom('webhook_request')
                .where('deployment_id', '=', p.webhookId)
                .where('truncated', '=', 1)
                .select('id'),
            )
            .select('request_id')
            .orderBy('failing_since')
            .limit(p.rows),
          dialect,
        ),
      ),
  )

const [waitingAgain, givenUpAgain] = [beginAgain('is not'), beginAgain('is')]

const tooManyWait = (): ApiError =>
  badRequest('id', 'cannot be redelivered to now: too many deliveries of the webhook or of the account wait')

/** @returns the target of a webhook that forwards */
function requireTarget({ target, isEnabled }: Deployment): string {
  if (target === null) throw badRequest('id', 'is a webhook without a target: set one first')
  if (!isEnabled) throw badRequest('id', 'is a webhook that is disabled: enable it first')
  return target
}

const redeliverRequest = unit(
  import.meta,
  'redeliverRequest',
  ownWebhookLockKey,
  async (tx, accountId: number, webhookId: number, requestId: number, now: number, actor: Actor) => {
    const webhook = requireWebhook(await lockOwnDeployment(tx, accountId, webhookId))
    const request = await tx.one(truncatedOf, { webhookId, requestId })
    if (request === undefined) throw missing(requestId)
    const target = requireTarget(webhook)
    if (request.truncated === 1)
      throw badRequest('request_id', 'is a request whose body was longer than what is kept: it cannot be forwarded')
    const delivery = { webhookId, requestId, accountId, target, refusal: null, pausedUntil: null, now }
    if (!(await storeDelivery(tx, delivery))) throw tooManyWait()
    const after = { id: requestId, count: 1 }
    recordDeploymentEvent(tx, webhook, { at: now, action: 'requests_redeliver', actor, after })
  },
)

/** @returns how many deliveries have begun again, and whether further ones have no room */
const redeliverSomeFailed = unit(
  import.meta,
  'redeliverSomeFailed',
  ownWebhookLockKey,
  async (tx, accountId: number, webhookId: number, now: number, actor: Actor) => {
    const webhook = requireWebhook(await lockOwnDeployment(tx, accountId, webhookId))
    const target = requireTarget(webhook)
    const again = { accountId, webhookId, host: new URL(target).host, now }
    const waiting = await tx.run(waitingAgain, { ...again, rows: batchMax })
    const room = await roomToWait(tx, { webhookId, accountId })
    const rows = Math.min(batchMax - waiting, room)
    const givenUp = await tx.run(givenUpAgain, { ...again, rows })
    const count = waiting + givenUp
    if (count > 0)
      recordDeploymentEvent(tx, webhook, { at: now, action: 'requests_redeliver', actor, after: { count } })
    return { count, isFull: givenUp === room }
  },
)

export type RedeliveryStore = ReturnType<typeof redeliveryStore>

/** Begins deliveries again. Methods throw ApiError `not_found`, `forbidden`, and `bad_request` if the webhook does not forward. */
export const redeliveryStore = (db: Database) => ({
  /** Begins the delivery of a request again, with all of its attempts. @throws ApiError `bad_request` if it cannot be forwarded */
  redeliver: (account: Account, webhookId: number, requestId: number): Promise<void> =>
    db.write(redeliverRequest, account.id, webhookId, requestId, Date.now(), account.actor),

  /** The same for all deliveries that fail or have been given up, as far as they may wait. @returns how many have begun again */
  async redeliverFailed(account: Account, webhookId: number): Promise<number> {
    const now = Date.now()
    let begun = 0
    for (let batch = 0; batch < batchesMax; batch++) {
      const { count, isFull } = await db.write(redeliverSomeFailed, account.id, webhookId, now, account.actor)
      begun += count
      if (begun === 0 && isFull) throw tooManyWait()
      if (count < batchMax) break
    }
    return begun
  },
})
