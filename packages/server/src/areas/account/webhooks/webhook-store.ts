import { ApiError } from '@svc/contract/errors'
import { eventWebhooksMax } from '@svc/contract/limits'
import { sql, type Kysely } from 'kysely'
import type { Database, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Tables } from '../../../db/tables.js'
import { unit } from '../../../db/unit.js'
import { changedFields, recordEvent, type EventFields } from '../../../journal/event-store.js'
import { isCurrentKey } from '../../../ports/vault/key-store.js'
import { staleKey, type Sealed, type Vault } from '../../../ports/vault/port.js'
import type { Account } from '../../../shared/account.js'
import type { Actor } from '../../../shared/actor.js'
import { requireOwner } from '../../../shared/require-owner.js'
import { createTag, secretIdentity, testAction, type Webhook } from './webhook.js'

/** Of the webhook of the outer query. Served by the primary key: a webhook has at most 1,100 deliveries. */
const deliveries = (db: Kysely<Tables>) =>
  db
    .selectFrom('account_webhook_delivery as delivery')
    .where('delivery.account_id', '=', sql.ref<number>('account_webhook.account_id'))
    .where('delivery.webhook_id', '=', sql.ref<number>('account_webhook.id'))

const shown = (db: Kysely<Tables>) =>
  [
    'account_webhook.id',
    'account_id',
    'tag',
    'url',
    'events',
    'enabled',
    'created_at as createdAt',
    'dropped',
    deliveries(db)
      .where('delivery.state', '=', sql.lit('waiting'))
      .select((row) => row.fn.countAll<number>().as('count'))
      .as('waiting'),
    deliveries(db)
      .select((row) => row.fn.min('delivery.failing_since').as('since'))
      .as('failingSince'),
  ] as const

/** Newest first. Served by account_webhook_by_account. */
const ofAccount = prepared((db, p: { accountId: number }) =>
  db.selectFrom('account_webhook').where('account_id', '=', p.accountId).select(shown(db)).orderBy('id', 'desc'),
)

/** Served by the primary key. */
const byId = prepared((db, p: { id: number }) =>
  db.selectFrom('account_webhook').where('id', '=', p.id).select(shown(db)),
)

interface Row {
  readonly id: number
  readonly account_id: number
  readonly tag: string
  readonly url: string
  readonly events: string
  readonly enabled: number
  readonly createdAt: number
  readonly dropped: number
  readonly waiting: number | null
  readonly failingSince: number | null
}

const toWebhook = ({ account_id: _account, tag: _tag, enabled, waiting, ...row }: Row): Webhook => ({
  ...row,
  isEnabled: enabled === 1,
  waiting: waiting ?? 0,
})

const lockAccount = prepared((db, p: { accountId: number }, dialect) =>
  db
    .selectFrom('account')
    .where('id', '=', p.accountId)
    .select('id')
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

const lock = prepared((db, p: { id: number }, dialect) =>
  db
    .selectFrom('account_webhook')
    .where('id', '=', p.id)
    .select(['account_id', 'url', 'events', 'enabled'])
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

/** Served by account_webhook_by_account. */
const countOf = prepared((db, p: { accountId: number }) =>
  db
    .selectFrom('account_webhook')
    .where('account_id', '=', p.accountId)
    .select((row) => row.fn.countAll<number>().as('count')),
)

interface NewWebhook {
  readonly accountId: number
  readonly tag: string
  readonly url: string
  readonly events: string
  readonly now: number
}

interface SealedRow {
  readonly masterKeyId: string
  readonly sealed: Buffer
}

/** A structured clone turns a Buffer into a Uint8Array. */
const toRow = (sealed: Sealed): SealedRow => ({ masterKeyId: sealed.masterKeyId, sealed: Buffer.from(sealed.bytes) })

const insert = prepared((db, p: NewWebhook & SealedRow) =>
  db
    .insertInto('account_webhook')
    .values({
      account_id: p.accountId,
      tag: p.tag,
      url: p.url,
      events: p.events,
      enabled: 1,
      begins_after: 0,
      dropped: 0,
      paused_until: null,
      created_at: p.now,
      master_key_id: p.masterKeyId,
      sealed: p.sealed,
    })
    .returning('id'),
)

/** Served by account_webhook_by_account, and by the primary key of account_event. */
const beginNow = prepared((db, p: { accountId: number }) =>
  db
    .updateTable('account_webhook')
    .where('account_id', '=', p.accountId)
    // No column: the few webhooks of the account are found by it.
    .where(sql<number>`begins_after + 0`, '=', 0)
    .set({ begins_after: sql<number>`(select coalesce(max(id), 0) from account_event)` }),
)

/** The webhooks that an import has stored get the events from now on. */
export const beginImportedWebhooks = (tx: Transaction, accountId: number): void => {
  tx.send(beginNow, { accountId })
}

/** The fields of an event. A path can be a secret, so the event has the host alone. */
const fieldsOf = ({
  id,
  url,
  enabled,
}: {
  readonly id: number
  readonly url: string
  readonly enabled: number
}): EventFields => ({ id, target: new URL(url).host, enabled: enabled === 1 })

const record = (
  tx: Transaction,
  event: {
    readonly accountId: number
    readonly action: 'webhook_create' | 'webhook_change' | 'webhook_delete' | 'webhook_test'
    readonly url: string
    readonly actor: Actor
    readonly before?: EventFields
    readonly after?: EventFields
  },
): void => {
  const { url, ...rest } = event
  recordEvent(tx, { ...rest, at: Date.now(), area: 'account', object: new URL(url).host })
}

const createWebhook = unit(
  import.meta,
  'createWebhook',
  ({ accountId }: NewWebhook) => `account ${String(accountId)}`,
  async (tx, webhook: NewWebhook, sealed: Sealed, actor: Actor) => {
    if (!(await isCurrentKey(tx, sealed.masterKeyId))) return staleKey
    const { accountId, url } = webhook
    await tx.one(lockAccount, { accountId })
    const { count } = await tx.only(countOf, { accountId })
    if (count >= eventWebhooksMax) throw tooMany()
    const { id } = await tx.only(insert, { ...webhook, ...toRow(sealed) })
    record(tx, { accountId, action: 'webhook_create', url, actor, after: fieldsOf({ id, url, enabled: 1 }) })
    // Behind its own event, which is the first one that it does not get.
    tx.send(beginNow, { accountId })
    return id
  },
)

const tooMany = () =>
  new ApiError('bad_request', `The account has ${String(eventWebhooksMax)} webhooks: delete one of them first.`)

/** Undefined fields stay as they are. */
export interface WebhookChange {
  readonly url: string | undefined
  readonly events: string | undefined
  readonly isEnabled: boolean | undefined
}

const set = prepared((db, p: { id: number; url: string; events: string; enabled: number }) =>
  db
    .updateTable('account_webhook')
    .set({ url: p.url, events: p.events, enabled: p.enabled, paused_until: null })
    .where('id', '=', p.id),
)

const setSecret = prepared((db, p: SealedRow & { id: number }) =>
  db.updateTable('account_webhook').set({ master_key_id: p.masterKeyId, sealed: p.sealed }).where('id', '=', p.id),
)

/** Served by the primary key. A delivery without a time waits until the webhook is resumed. */
const moveWaiting = prepared((db, p: { accountId: number; id: number; host: string; dueAt: number | null }) =>
  db
    .updateTable('account_webhook_delivery')
    .set({ host: p.host, due_at: p.dueAt })
    .where('account_id', '=', p.accountId)
    .where('webhook_id', '=', p.id)
    .where('state', '=', 'waiting'),
)

const changeWebhook = unit(
  import.meta,
  'changeWebhook',
  (_accountId: number, id: number) => `account webhook ${String(id)}`,
  async (tx, accountId: number, id: number, change: WebhookChange, sealed: Sealed | null, actor: Actor) => {
    if (sealed !== null && !(await isCurrentKey(tx, sealed.masterKeyId))) return staleKey
    const row = await tx.one(lock, { id })
    requireOwner(row, accountId, 'webhook', id)
    const enabled = change.isEnabled === undefined ? row.enabled : Number(change.isEnabled)
    const next = { id, url: change.url ?? row.url, events: change.events ?? row.events, enabled }
    tx.send(set, next)
    if (sealed !== null) tx.send(setSecret, { id, ...toRow(sealed) })
    const isMoved = next.url !== row.url || enabled !== row.enabled
    const dueAt = enabled === 1 ? Date.now() : null
    if (isMoved) tx.send(moveWaiting, { accountId, id, host: new URL(next.url).host, dueAt })
    const changed = [
      ...(next.url === row.url ? [] : ['url']),
      ...(next.events === row.events ? [] : ['events']),
      ...(sealed === null ? [] : ['secret']),
    ]
    const fields = changedFields(fieldsOf({ ...row, id }), {
      ...fieldsOf(next),
      ...(changed.length > 0 && { changed }),
    })
    if (fields !== undefined) record(tx, { accountId, action: 'webhook_change', url: next.url, actor, ...fields })
    return undefined
  },
)

const remove = prepared((db, p: { id: number }) => db.deleteFrom('account_webhook').where('id', '=', p.id))

/** Served by the primary key: a webhook has at most 1,100 deliveries. */
const removeDeliveries = prepared((db, p: { accountId: number; id: number }) =>
  db.deleteFrom('account_webhook_delivery').where('account_id', '=', p.accountId).where('webhook_id', '=', p.id),
)

const deleteWebhook = unit(
  import.meta,
  'deleteWebhook',
  (_accountId: number, id: number) => `account webhook ${String(id)}`,
  async (tx, accountId: number, id: number, actor: Actor) => {
    const row = await tx.one(lock, { id })
    requireOwner(row, accountId, 'webhook', id)
    tx.send(removeDeliveries, { accountId, id })
    tx.send(remove, { id })
    record(tx, { accountId, action: 'webhook_delete', url: row.url, actor, before: fieldsOf({ ...row, id }) })
  },
)

const testWebhook = unit(import.meta, 'testWebhook', async (tx, accountId: number, id: number, actor: Actor) => {
  const row = await tx.one(lock, { id })
  requireOwner(row, accountId, 'webhook', id)
  if (row.enabled === 0) throw new ApiError('bad_request', 'The webhook is paused: resume it before a test.')
  record(tx, { accountId, action: testAction, url: row.url, actor, after: { id } })
})

export type WebhookStore = ReturnType<typeof webhookStore>

/** The webhooks of an account. */
export const webhookStore = (db: Database, vault: Vault) => {
  /** @throws ApiError `not_found`; `forbidden` for a webhook of another account */
  async function get(account: Account, id: number): Promise<Row> {
    const row = await db.one(byId, { id })
    requireOwner(row, account.id, 'webhook', id)
    return row
  }

  return {
    list: async (account: Account): Promise<Webhook[]> =>
      (await db.all(ofAccount, { accountId: account.id })).map(toWebhook),

    /** @throws ApiError `not_found`; `forbidden` for a webhook of another account */
    get: async (account: Account, id: number): Promise<Webhook> => toWebhook(await get(account, id)),

    /** @throws ApiError `bad_request` if the account has too many */
    async create(account: Account, given: Pick<Webhook, 'url' | 'events'>, secret: string): Promise<Webhook> {
      const webhook = { accountId: account.id, tag: createTag(), now: Date.now(), ...given }
      const id = await vault.seal(secret, secretIdentity(account.id, webhook), (sealed) =>
        db.write(createWebhook, webhook, sealed, account.actor),
      )
      return toWebhook(await get(account, id))
    },

    /**
     * @param secret the new one; undefined to keep it
     * @throws ApiError `not_found`; `forbidden` for a webhook of another account
     */
    async change(account: Account, id: number, change: WebhookChange, secret: string | undefined): Promise<Webhook> {
      const store = (sealed: Sealed | null) => db.write(changeWebhook, account.id, id, change, sealed, account.actor)
      if (secret === undefined) await store(null)
      else await vault.seal(secret, secretIdentity(account.id, await get(account, id)), store)
      return toWebhook(await get(account, id))
    },

    /** @throws ApiError `not_found`; `forbidden` for a webhook of another account */
    delete: (account: Account, id: number): Promise<void> => db.write(deleteWebhook, account.id, id, account.actor),

    /** Records the event of a test. @throws ApiError `bad_request` for a paused one; `not_found`; `forbidden` */
    test: (account: Account, id: number): Promise<void> => db.write(testWebhook, account.id, id, account.actor),
  }
}
