import { sql } from 'kysely'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { isServed } from '../../../db/served-accounts.js'
import { unit } from '../../../db/unit.js'
import { isSlug } from '../slug.js'
import { countUse } from '../use-count-store.js'
import { storeDelivery } from './delivery-store.js'
import { addKept, keptMax, removeUpTo, webhookLockKey } from './retention-store.js'

/** What a webhook stores of a request. */
export interface ReceivedRequest {
  readonly receivedAt: number
  readonly method: string
  readonly path: string
  readonly query: string
  readonly ip: string
  readonly contentType: string | null
  /** JSON array of names and values in turn. */
  readonly headers: string
  readonly body: Uint8Array
  /** Whether the body was longer than the stored part. */
  readonly isTruncated: boolean
  /** Whether it has been forwarded too often: it is stored, and not forwarded. */
  readonly isLoop: boolean
}

/** A webhook that answers. */
export interface OpenWebhook {
  readonly id: number
  readonly accountId: number
  readonly forwards: boolean
}

/** Served by the unique index deployment_at (kind, slug). */
const bySlug = prepared((db, p: { slug: string }) =>
  db
    .selectFrom('deployment')
    .where('kind', '=', 'webhook')
    .where('slug', '=', p.slug)
    .where('enabled', '=', 1)
    .where(isServed('deployment.account_id'))
    .select(['id', 'account_id as accountId', 'target']),
)

/** On PostgreSQL the row is locked until the transaction ends, so the requests of a webhook are numbered in order. */
const addUse = prepared((db, p: { id: number }) =>
  db
    .updateTable('deployment')
    .set({ uses: sql<number>`uses + 1` })
    .where('id', '=', p.id)
    .where('enabled', '=', 1)
    .returning(['uses as id', 'target', 'account_id as accountId', 'paused_until as pausedUntil']),
)

const insert = prepared(
  (
    db,
    p: Omit<ReceivedRequest, 'body' | 'isTruncated' | 'isLoop'> & {
      webhookId: number
      id: number
      size: number
      truncated: number
      body: Buffer
    },
  ) =>
    db
      .insertInto('webhook_request')
      .values({
        deployment_id: p.webhookId,
        id: p.id,
        received_at: p.receivedAt,
        method: p.method,
        path: p.path,
        query: p.query,
        ip: p.ip,
        content_type: p.contentType,
        size: p.size,
        truncated: p.truncated,
        headers: p.headers,
        body: p.body,
      }),
)

const forwardedTooOften = 'Webhooks that forward to each other have sent the request in a loop.'
const bodyTooLong = 'The body is longer than what is kept.'

/** @returns whether a delivery is waiting; undefined if the webhook has been disabled or deleted */
const receiveRequest = unit(
  import.meta,
  'receiveRequest',
  webhookLockKey,
  async (tx, webhookId: number, { body, isTruncated, isLoop, ...request }: ReceivedRequest) => {
    const webhook = await tx.one(addUse, { id: webhookId })
    if (webhook === undefined) return undefined
    const { id, target, accountId, pausedUntil } = webhook
    countUse(tx, webhookId, request.receivedAt)
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    const stored = { size: bytes.length, truncated: Number(isTruncated), body: bytes }
    tx.send(insert, { ...request, ...stored, webhookId, id })
    addKept(tx, webhookId, 1 - (await removeUpTo(tx, webhookId, id - keptMax)))
    if (target === null) return false
    const refusal = isLoop ? forwardedTooOften : isTruncated ? bodyTooLong : null
    return storeDelivery(tx, {
      webhookId,
      requestId: id,
      accountId,
      target,
      refusal,
      pausedUntil,
      now: request.receivedAt,
    })
  },
)

export type ReceiveStore = ReturnType<typeof receiveStore>

/** Stores what webhooks receive. System store: the client knows the slug. */
export const receiveStore = (db: Database) => ({
  /** @returns undefined if no webhook answers at this address */
  async find(slug: string): Promise<OpenWebhook | undefined> {
    const row = isSlug(slug) ? await db.one(bySlug, { slug }) : undefined
    return row && { id: row.id, accountId: row.accountId, forwards: row.target !== null }
  },

  /**
   * Stores a request, counts it as a use, and removes the oldest one.
   * @returns whether it waits for its delivery; undefined if the webhook has been disabled or deleted in the meantime
   */
  receive: (webhookId: number, request: ReceivedRequest): Promise<boolean | undefined> =>
    db.write(receiveRequest, webhookId, request),
})
