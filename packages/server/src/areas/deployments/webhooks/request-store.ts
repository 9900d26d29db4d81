import { sql } from 'kysely'
import { badRequest, notFound } from '@svc/contract/errors'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Tables } from '../../../db/tables.js'
import type { Account } from '../../../shared/account.js'
import type { Actor } from '../../../shared/actor.js'
import { turns } from '../../../shared/turns.js'
import { always, type Period } from '../../../shared/period.js'
import { cutPage, type Page, type PageKey } from '../../../shared/page.js'
import type { Deployment } from '../deployment.js'
import { recordDeploymentEvent } from '../events.js'
import { lockOwnDeployment, requireOwnDeployment } from '../store.js'
import { attemptsOf, type StoredAttempt } from './attempt-store.js'
import { failingOf, type Failing } from './failing-store.js'
import { webhookLockKey } from './retention-store.js'
import { createSecret } from '../../../ports/outbound/deliveries/signature.js'

/** A request that a webhook has received, without its headers and body. */
export interface RequestSummary {
  readonly id: number
  readonly received_at: number
  readonly method: string
  readonly path: string
  readonly query: string
  readonly ip: string
  readonly content_type: string | null
  readonly size: number
  readonly truncated: number
  /** Null for a request that was not forwarded, with the four fields below. */
  readonly state: Tables['webhook_delivery']['state'] | null
  readonly attempts: number | null
  readonly due_at: number | null
  readonly last_status: number | null
  readonly last_error: string | null
}

interface RequestDetail extends RequestSummary {
  readonly headers: string
  readonly body: Buffer
}

export interface RequestWithAttempts extends RequestDetail {
  /** Newest first. */
  readonly history: readonly StoredAttempt[]
}

const columns = [
  'id',
  'received_at',
  'method',
  'ip',
  'content_type',
  'size',
  'truncated',
  'state',
  'attempts',
  'due_at',
  'last_status',
  'last_error',
] as const

const pageMaxEntries = 100

/** In a list, long texts are cut: a page of whole ones would have megabytes. */
const shownMax = 200

const cut = (column: 'path' | 'query') => sql<string>`substr(${sql.ref(column)}, 1, ${sql.lit(shownMax)})`.as(column)

/**
 * Served by the primary keys, read backwards. The `+ 0` hides from PostgreSQL that both ids are the parameter. Otherwise it reads all
 * deliveries of the webhook, and compares each request with all of them.
 */
const page = prepared((db, p: Period & { webhookId: number; before: number; rows: number }) =>
  db
    .selectFrom('webhook_request as request')
    .leftJoin('webhook_delivery as delivery', (join) =>
      join
        .on((on) => on('delivery.deployment_id', '=', on('request.deployment_id', '+', sql.lit(0))))
        .onRef('delivery.request_id', '=', 'request.id'),
    )
    .where('request.deployment_id', '=', p.webhookId)
    .where('request.id', '<', p.before)
    .where('request.received_at', '>=', p.from)
    .where('request.received_at', '<', p.to)
    .select([...columns, cut('path'), cut('query')])
    .orderBy('request.id', 'desc')
    .limit(p.rows),
)

/** Served by the primary key: a webhook keeps some hundred requests. */
const counted = prepared((db, p: Period & { webhookId: number }) =>
  db
    .selectFrom('webhook_request')
    .where('deployment_id', '=', p.webhookId)
    .where('received_at', '>=', p.from)
    .where('received_at', '<', p.to)
    .select((row) => row.fn.countAll<number>().as('count')),
)

/** Served by the primary keys. */
const byId = prepared((db, p: { webhookId: number; requestId: number }) =>
  db
    .selectFrom('webhook_request as request')
    .leftJoin('webhook_delivery as delivery', (join) =>
      join
        .onRef('delivery.deployment_id', '=', 'request.deployment_id')
        .onRef('delivery.request_id', '=', 'request.id'),
    )
    .where('request.deployment_id', '=', p.webhookId)
    .where('request.id', '=', p.requestId)
    .select([...columns, 'path', 'query', 'headers', 'body']),
)

const setSecret = prepared((db, p: { webhookId: number; secret: string; now: number }) =>
  db.updateTable('deployment').set({ secret: p.secret, updated_at: p.now }).where('id', '=', p.webhookId),
)

/** @throws ApiError `bad_request` for a form or a short link */
export function requireWebhook(deployment: Deployment): Deployment {
  if (deployment.kind === 'webhook') return deployment
  throw badRequest('id', `must be the id of a webhook, not of a ${deployment.kind}`)
}

export const missing = (requestId: number) => notFound(`request ${String(requestId)}`)

export const ownWebhookLockKey = (_: number, webhookId: number): string => webhookLockKey(webhookId)

const rotateSecret = unit(
  import.meta,
  'rotateSecret',
  ownWebhookLockKey,
  async (tx, accountId: number, webhookId: number, secret: string, now: number, actor: Actor) => {
    const webhook = requireWebhook(await lockOwnDeployment(tx, accountId, webhookId))
    tx.send(setSecret, { webhookId, secret, now })
    recordDeploymentEvent(tx, webhook, { at: now, action: 'secret_rotate', actor })
  },
)

export type RequestStore = ReturnType<typeof requestStore>

/** Requests that the webhooks of an account have received. Methods throw ApiError `not_found` and `forbidden`. */
export function requestStore(db: Database) {
  const oneEachTurn = turns()
  return {
    /**
     * Newest first, at most 100: the rows of a page are read on the event loop.
     * @param period undefined for all
     * @returns also the number of kept requests of the period, and which deliveries fail
     */
    list: (
      account: Account,
      webhookId: number,
      { limit, before }: PageKey,
      period?: Period,
    ): Promise<Page<RequestSummary> & { total: number; failing: Failing | null }> =>
      oneEachTurn(async () => {
        const { kept } = requireWebhook(await requireOwnDeployment(db, account.id, webhookId))
        const entriesMax = Math.min(limit, pageMaxEntries)
        const [rows, failing, inPeriod] = await Promise.all([
          db.all(page, { webhookId, before, rows: entriesMax + 1, ...(period ?? always) }),
          failingOf(db, webhookId),
          period && db.one(counted, { webhookId, ...period }),
        ])
        return { ...cutPage(rows, entriesMax), total: inPeriod?.count ?? kept, failing }
      }),

    async get(account: Account, webhookId: number, requestId: number): Promise<RequestWithAttempts> {
      requireWebhook(await requireOwnDeployment(db, account.id, webhookId))
      const [found, history] = await Promise.all([
        db.one(byId, { webhookId, requestId }),
        attemptsOf(db, webhookId, requestId),
      ])
      if (found === undefined) throw missing(requestId)
      return { ...found, history }
    },

    /** Replaces the secret: the next attempt is signed with the new one. @returns the new secret */
    async rotateSecret(account: Account, webhookId: number): Promise<string> {
      const secret = createSecret()
      await db.write(rotateSecret, account.id, webhookId, secret, Date.now(), account.actor)
      return secret
    },
  }
}
