import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { isServed } from '../../../db/served-accounts.js'
import { unit } from '../../../db/unit.js'
import { isShown, type ShownEvent } from '../../../journal/events.js'
import { readEventsById } from '../../../journal/page-store.js'
import { eventJson } from '../../../journal/presenter.js'
import type { Deliveries, OutgoingRequest } from '../../../ports/outbound/deliveries/deliverer.js'
import { claiming, dueQueries, dueReads } from '../../../ports/outbound/deliveries/due-queries.js'
import { endOfPause, type Outcome } from '../../../ports/outbound/deliveries/retry.js'
import { signatureHeaders } from '../../../ports/outbound/deliveries/signature.js'
import type { Vault } from '../../../ports/vault/port.js'
import { messageId, secretIdentity } from './webhook.js'

/** How many deliveries of a webhook are kept that no longer wait. */
const finishedMax = 100

const queries = dueQueries({ table: 'account_webhook_delivery', webhook: 'webhook_id', request: 'event_id' })

const claimDue = unit(import.meta, 'claimEventDeliveries', claiming(queries))

/** Served by the primary key. */
const webhookById = prepared((db, p: { id: number }) =>
  db
    .selectFrom('account_webhook')
    .where('id', '=', p.id)
    .where(isServed('account_webhook.account_id'))
    .select(['account_id as accountId', 'tag', 'url', 'sealed']),
)

const lockWebhook = prepared((db, p: { id: number }, dialect) =>
  db
    .selectFrom('account_webhook')
    .where('id', '=', p.id)
    .select(['enabled', 'paused_until as pausedUntil'])
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

interface Attempted {
  readonly accountId: number
  readonly webhookId: number
  readonly eventId: number
  readonly attempts: number
}

/** Only for the attempt that a process has claimed last: after its lease another process may have repeated it. */
const setOutcome = prepared(
  (
    db,
    p: Omit<Outcome, 'pausedUntil'> &
      Attempted & { readonly answer: string | null; readonly failedAt: number | null; readonly now: number },
  ) =>
    db
      .updateTable('account_webhook_delivery')
      .set({
        state: p.state,
        due_at: p.dueAt,
        last_status: p.status,
        last_error: p.error,
        answer: p.answer,
        failing_since: sql<number | null>`case when cast(${p.failedAt} as bigint) is null then null
          else coalesce(failing_since, cast(${p.failedAt} as bigint)) end`,
        updated_at: p.now,
      })
      .where('account_id', '=', p.accountId)
      .where('webhook_id', '=', p.webhookId)
      .where('event_id', '=', p.eventId)
      .where('attempts', '=', p.attempts)
      .where('state', '=', 'waiting'),
)

const release = prepared((db, p: Attempted & { readonly now: number }) =>
  db
    .updateTable('account_webhook_delivery')
    .set({ attempts: sql<number>`attempts - 1`, due_at: p.now })
    .where('account_id', '=', p.accountId)
    .where('webhook_id', '=', p.webhookId)
    .where('event_id', '=', p.eventId)
    .where('attempts', '=', p.attempts)
    .where('due_at', 'is not', null),
)

/** Served by the primary key. */
const postpone = prepared((db, p: { accountId: number; webhookId: number; until: number }) =>
  db
    .updateTable('account_webhook_delivery')
    .set({ due_at: p.until })
    .where('account_id', '=', p.accountId)
    .where('webhook_id', '=', p.webhookId)
    .where('due_at', '<', p.until),
)

const pause = prepared((db, p: { webhookId: number; until: number }) =>
  db.updateTable('account_webhook').set({ paused_until: p.until }).where('id', '=', p.webhookId),
)

/** Served by the primary key: a webhook has some hundred deliveries. */
const removeFinished = prepared((db, p: { accountId: number; webhookId: number; kept: number }) =>
  db
    .deleteFrom('account_webhook_delivery')
    .where('account_id', '=', p.accountId)
    .where('webhook_id', '=', p.webhookId)
    .where('state', '<>', sql.lit('waiting'))
    .where('event_id', '<=', (from) =>
      from
        .selectFrom('account_webhook_delivery as finished')
        .where('finished.account_id', '=', p.accountId)
        .where('finished.webhook_id', '=', p.webhookId)
        .where('finished.state', '<>', sql.lit('waiting'))
        .select('finished.event_id')
        .orderBy('finished.event_id', 'desc')
        .limit(1)
        .offset(sql<number>`${p.kept}`),
    ),
)

const saveOutcome = unit(
  import.meta,
  'saveEventOutcome',
  ({ webhookId }: Attempted) => `account webhook ${String(webhookId)}`,
  async (tx: Transaction, attempted: Attempted, outcome: Outcome, answer: string | null, now: number) => {
    const { accountId, webhookId } = attempted
    // First, in the order of all units that lock both.
    const webhook = await tx.one(lockWebhook, { id: webhookId })
    const earliest = endOfPause(webhook?.pausedUntil ?? null, now)
    const { pausedUntil: until, ...saved } = outcome
    // The delivery of a webhook that was paused meanwhile waits until it is resumed.
    const dueAt = outcome.dueAt === null || webhook?.enabled === 0 ? null : Math.max(outcome.dueAt, earliest)
    tx.send(setOutcome, { ...saved, ...attempted, dueAt, answer, failedAt: outcome.error === null ? null : now, now })
    if (until !== null) {
      tx.send(pause, { webhookId, until: Math.max(until, earliest) })
      tx.send(postpone, { accountId, webhookId, until })
    }
    if (outcome.state !== 'waiting') tx.send(removeFinished, { accountId, webhookId, kept: finishedMax })
  },
)

const releaseClaim = unit(import.meta, 'releaseEventClaim', async (tx, attempted: Attempted, now: number) => {
  tx.send(release, { ...attempted, now })
})

/** An event as `GET /v1/account/events` shows it, signed when it is sent. */
function outgoingEvent(
  event: ShownEvent,
  { tag, url }: { readonly tag: string; readonly url: string },
  secret: string,
): OutgoingRequest {
  const body = Buffer.from(eventJson(event))
  const id = messageId(tag, event.id)
  return {
    method: 'POST',
    body,
    head: (sentAt) => ({
      url,
      headers: ['content-type', 'application/json', ...signatureHeaders(secret, { id, sentAt, body })],
    }),
  }
}

/** Deliveries of events that wait. System store: those of all accounts. */
export function eventDeliveries(db: Database, vault: Vault, log: Pick<Logger, 'error'>): Deliveries {
  return {
    ...dueReads(db, queries),

    claim: (webhooks, now, leaseMs) => db.write(claimDue, webhooks, now, now + leaseMs),

    async outgoing({ webhookId, requestId }) {
      const webhook = await db.one(webhookById, { id: webhookId })
      if (webhook === undefined) return 'The webhook has been deleted, or its account has been stopped.'
      const { accountId, sealed } = webhook
      const [event] = await readEventsById(db, { accountId, ids: [requestId] })
      if (event === undefined || !isShown(event)) return 'The event is not kept any more.'
      const [secret] = await vault.openAll([{ sealed, identity: secretIdentity(accountId, webhook) }])
      if (secret !== undefined) return outgoingEvent(event, webhook, secret)
      log.error({ webhook: webhookId }, 'the secret of a webhook does not decrypt')
      return 'The secret of the webhook cannot be read: replace it.'
    },

    saveOutcome: ({ accountId, webhookId, requestId: eventId, attempts }, outcome, attempt) =>
      db.write(saveOutcome, { accountId, webhookId, eventId, attempts }, outcome, attempt?.answer ?? null, Date.now()),

    release: ({ accountId, webhookId, requestId: eventId, attempts }) =>
      db.write(releaseClaim, { accountId, webhookId, eventId, attempts }, Date.now()),
  }
}
