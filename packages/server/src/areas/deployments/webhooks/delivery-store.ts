import { sql } from 'kysely'
import type { Database, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { isServed } from '../../../db/served-accounts.js'
import { unit } from '../../../db/unit.js'
import type { FinishedAttempt } from '../../../ports/outbound/deliveries/attempt.js'
import { storeAttempt } from './attempt-store.js'
import { outgoingOf } from './forwarded.js'
import type { Deliveries } from '../../../ports/outbound/deliveries/deliverer.js'
import { dueStore } from './due-store.js'
import { countFailure } from '../use-count-store.js'
import { addKept, keptMax, removeUpTo, webhookLockKey } from './retention-store.js'
import { endOfPause, type Outcome } from '../../../ports/outbound/deliveries/retry.js'

/** How many deliveries of a webhook may wait. With more, requests are stored and not forwarded. */
const waitingMax = 500

/** The same of an account: a look for due deliveries can read all that wait. Requests that arrive at the same time may exceed it. */
const waitingOfAccountMax = 5_000

export interface NewDelivery {
  readonly webhookId: number
  readonly requestId: number
  readonly accountId: number
  readonly target: string
  /** Why the request is not forwarded; null if it is. */
  readonly refusal: string | null
  /** When the target takes requests again; null if it takes them now. */
  readonly pausedUntil: number | null
  readonly now: number
}

/** Replaces the delivery that the request had. The attempts that have been stored stay. */
const insert = prepared(
  (
    db,
    p: Omit<NewDelivery, 'target' | 'refusal' | 'pausedUntil'> & {
      host: string
      state: 'waiting' | 'failed'
      dueAt: number | null
      error: string | null
      failingSince: number | null
    },
  ) =>
    db
      .insertInto('webhook_delivery')
      .values({
        deployment_id: p.webhookId,
        request_id: p.requestId,
        account_id: p.accountId,
        host: p.host,
        state: p.state,
        due_at: p.dueAt,
        attempts: 0,
        last_status: null,
        last_error: p.error,
        failing_since: p.failingSince,
        updated_at: p.now,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['deployment_id', 'request_id'])
          .doUpdateSet({
            host: p.host,
            state: p.state,
            due_at: p.dueAt,
            attempts: 0,
            last_status: null,
            last_error: p.error,
            failing_since: p.failingSince,
            updated_at: p.now,
          }),
      ),
)

/** Served by the primary key: a webhook has at most `keptMax + waitingMax` deliveries. */
const countWaiting = prepared((db, p: { webhookId: number }) =>
  db
    .selectFrom('webhook_delivery')
    .where('deployment_id', '=', p.webhookId)
    .where('due_at', 'is not', null)
    .select((row) => row.fn.countAll<number>().as('count')),
)

/** Served by webhook_delivery_waiting (account_id), and counted up to the limit. */
const countOfAccount = prepared((db, p: { accountId: number }) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom('webhook_delivery')
        .where('account_id', '=', p.accountId)
        .where('due_at', 'is not', null)
        .select('deployment_id')
        .limit(waitingOfAccountMax)
        .as('waiting'),
    )
    .select((row) => row.fn.countAll<number>().as('count')),
)

type OfWebhook = Pick<NewDelivery, 'webhookId' | 'accountId'>

/** @returns why no further delivery of the webhook can wait; null if one can */
async function refusalOf(tx: Transaction, { webhookId, accountId }: OfWebhook): Promise<string | null> {
  const { count } = await tx.only(countWaiting, { webhookId })
  if (count >= waitingMax) return `${String(waitingMax)} requests were waiting for the target.`
  const { count: ofAccount } = await tx.only(countOfAccount, { accountId })
  if (ofAccount < waitingOfAccountMax) return null
  return `${String(waitingOfAccountMax)} requests of the account were waiting for their targets.`
}

/** @returns how many further deliveries of the webhook can wait */
export async function roomToWait(tx: Transaction, { webhookId, accountId }: OfWebhook): Promise<number> {
  const { count } = await tx.only(countWaiting, { webhookId })
  const { count: ofAccount } = await tx.only(countOfAccount, { accountId })
  return Math.max(0, Math.min(waitingMax - count, waitingOfAccountMax - ofAccount))
}

const lockWebhook = prepared((db, p: { webhookId: number }, dialect) =>
  db
    .selectFrom('deployment')
    .where('id', '=', p.webhookId)
    .select(['uses', 'paused_until as pausedUntil'])
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

interface SavedOutcome extends Outcome {
  readonly webhookId: number
  readonly requestId: number
  readonly attempts: number
  /** 1 for the outcome of an attempt that is stored, otherwise 0. */
  readonly recorded: number
  /** Now for a failure, null for a success. */
  readonly failedAt: number | null
  readonly now: number
}

/** Only for the attempt that the process has claimed last: after its lease another process may have repeated it. */
const setOutcome = prepared((db, p: SavedOutcome) =>
  db
    .updateTable('webhook_delivery')
    .set({
      state: p.state,
      due_at: p.dueAt,
      last_status: p.status,
      last_error: p.error,
      recorded: sql<number>`recorded + cast(${p.recorded} as bigint)`,
      failing_since: sql<number | null>`case when cast(${p.failedAt} as bigint) is null then null
          else coalesce(failing_since, cast(${p.failedAt} as bigint)) end`,
      updated_at: p.now,
    })
    .where('deployment_id', '=', p.webhookId)
    .where('request_id', '=', p.requestId)
    .where('attempts', '=', p.attempts)
    .where('due_at', 'is not', null)
    .returning('recorded'),
)

const release = prepared((db, p: { webhookId: number; requestId: number; attempts: number; now: number }) =>
  db
    .updateTable('webhook_delivery')
    .set({ attempts: sql<number>`attempts - 1`, due_at: p.now })
    .where('deployment_id', '=', p.webhookId)
    .where('request_id', '=', p.requestId)
    .where('attempts', '=', p.attempts)
    .where('due_at', 'is not', null),
)

/** Served by the primary keys. Without the body of a request that is not forwarded any more. */
const forwarded = prepared((db, p: { webhookId: number; requestId: number }) =>
  db
    .selectFrom('deployment')
    .innerJoin('webhook_request', 'webhook_request.deployment_id', 'deployment.id')
    .where('deployment.id', '=', p.webhookId)
    .where('deployment.enabled', '=', 1)
    .where('deployment.target', 'is not', null)
    .where(isServed('deployment.account_id'))
    .where('webhook_request.id', '=', p.requestId)
    .select([
      'deployment.id as webhookId',
      'webhook_request.id as id',
      'received_at as receivedAt',
      'method',
      'query',
      'headers',
      'body',
      'target',
      'secret',
    ])
    .$narrowType<{ target: string; secret: string }>(),
)

/** Served by the primary key. */
const postpone = prepared((db, p: { webhookId: number; until: number }) =>
  db
    .updateTable('webhook_delivery')
    .set({ due_at: p.until })
    .where('deployment_id', '=', p.webhookId)
    .where('due_at', '<', p.until),
)

const pause = prepared((db, p: { webhookId: number; until: number | null }) =>
  db.updateTable('deployment').set({ paused_until: p.until }).where('id', '=', p.webhookId),
)

const saveOutcome = unit(
  import.meta,
  'saveOutcome',
  webhookLockKey,
  async (
    tx,
    webhookId: number,
    requestId: number,
    attempts: number,
    outcome: Outcome,
    attempt: FinishedAttempt | null,
    now: number,
  ) => {
    // First, in the order of all units that lock both.
    const webhook = await tx.one(lockWebhook, { webhookId })
    // An attempt that began before another one was told to wait has to wait too.
    const earliest = endOfPause(webhook?.pausedUntil ?? null, now)
    const dueAt = outcome.dueAt === null ? null : Math.max(outcome.dueAt, earliest)
    const { status, error, pausedUntil: until } = outcome
    const failedAt = error === null ? null : now
    const counted = { recorded: attempt === null ? 0 : 1, failedAt, now }
    const saved = await tx.one(setOutcome, { ...outcome, ...counted, dueAt, webhookId, requestId, attempts })
    if (saved !== undefined && attempt !== null)
      storeAttempt(tx, { ...attempt, webhookId, requestId, status, error }, saved.recorded)
    if (webhook !== undefined && saved !== undefined && attempt !== null && error !== null)
      countFailure(tx, webhookId, now)
    if (until !== null) {
      tx.send(pause, { webhookId, until: Math.max(until, earliest) })
      tx.send(postpone, { webhookId, until })
    }
    if (saved === undefined || outcome.dueAt !== null || webhook === undefined) return
    addKept(tx, webhookId, -(await removeUpTo(tx, webhookId, webhook.uses - keptMax)))
  },
)

const releaseClaim = unit(
  import.meta,
  'releaseClaim',
  async (tx, webhookId: number, requestId: number, attempts: number, now: number) => {
    tx.send(release, { webhookId, requestId, attempts, now })
  },
)

const setHost = prepared((db, p: { webhookId: number; host: string }) =>
  db
    .updateTable('webhook_delivery')
    .set({ host: p.host })
    .where('deployment_id', '=', p.webhookId)
    .where('due_at', 'is not', null),
)

/** Redirects the waiting deliveries of a webhook to its new target, in the transaction of the change. Their times stay. */
export function redirectDeliveries(tx: Transaction, webhookId: number, target: string): void {
  tx.send(setHost, { webhookId, host: new URL(target).host })
  tx.send(pause, { webhookId, until: null })
}

/** Stores the delivery of a request in the transaction of the request. @returns whether it waits for its first attempt */
export async function storeDelivery(tx: Transaction, delivery: NewDelivery): Promise<boolean> {
  const { target, refusal, pausedUntil, ...row } = delivery
  const host = new URL(target).host
  const full = refusal === null ? await refusalOf(tx, delivery) : null
  const error = refusal ?? full
  const state = error === null ? 'waiting' : 'failed'
  tx.send(insert, {
    ...row,
    host,
    state,
    dueAt: error === null ? Math.max(row.now, endOfPause(pausedUntil, row.now)) : null,
    error,
    // A refused request is never forwarded, so its delivery does not fail.
    failingSince: full === null ? null : row.now,
  })
  return error === null
}

const notForwarded = 'The webhook has been disabled, has no target, or its account has been stopped.'

/** Deliveries that wait. System store: those of all accounts. */
export const deliveryStore = (db: Database): Deliveries => ({
  ...dueStore(db),

  outgoing: async ({ webhookId, requestId }) => {
    const request = await db.one(forwarded, { webhookId, requestId })
    return request === undefined ? notForwarded : outgoingOf(request)
  },

  saveOutcome: ({ webhookId, requestId, attempts }, outcome, attempt) =>
    db.write(saveOutcome, webhookId, requestId, attempts, outcome, attempt, Date.now()),

  release: ({ webhookId, requestId, attempts }) => db.write(releaseClaim, webhookId, requestId, attempts, Date.now()),
})
