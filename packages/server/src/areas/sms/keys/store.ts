import { ApiError } from '@svc/contract/errors'
import { forwarderKeysMax } from '@svc/contract/limits'
import type { Database, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { isCurrentKey } from '../../../ports/vault/key-store.js'
import { staleKey, type Sealed, type Vault } from '../../../ports/vault/port.js'
import { recordEvent, type AccountEvent, type EventFields } from '../../../journal/event-store.js'
import type { Account } from '../../../shared/account.js'
import type { Actor } from '../../../shared/actor.js'
import { requireOwner } from '../../../shared/require-owner.js'
import { inboxLockKey, lockInbox } from '../inbox-store.js'
import { digest, newKey, prefixLength, signingKeyIdentity } from './key.js'

/** A forwarder key as its owner sees it. Times are milliseconds since the epoch. */
export interface ForwarderKey {
  readonly id: number
  readonly label: string
  readonly prefix: string
  readonly createdAt: number
  readonly lastUsedAt: number | null
  readonly hasSigningKey: boolean
}

const shown = [
  'id',
  'label',
  'prefix',
  'created_at as createdAt',
  'last_used_at as lastUsedAt',
  'master_key_id as masterKeyId',
] as const

interface KeyRow extends Omit<ForwarderKey, 'hasSigningKey'> {
  readonly masterKeyId: string | null
}

const toKey = ({ masterKeyId, ...row }: KeyRow): ForwarderKey => ({ ...row, hasSigningKey: masterKeyId !== null })

/** Records the event of a key, by its label. Its value and its signing key are secrets. */
const recordKeyEvent = (tx: Transaction, event: Omit<AccountEvent<'sms'>, 'area'>): void => {
  recordEvent(tx, { ...event, area: 'sms' })
}

const signingFields = (id: number, hasSigningKey: boolean): EventFields => ({ id, has_signing_key: hasSigningKey })

interface CreatedKey extends NewKey {
  readonly actor: Actor
}

interface NewKey {
  accountId: number
  label: string
  prefix: string
  hash: Uint8Array
  now: number
  /** The signing key; null for a device that does not sign. */
  sealed: Sealed | null
}

/** Newest first. Served by the unique index sms_key_slot (account_id, slot): five rows at most. */
const ofAccount = prepared((db, p: { accountId: number }) =>
  db.selectFrom('sms_key').where('account_id', '=', p.accountId).select(shown).orderBy('id', 'desc'),
)

/** Served by sms_key_slot. */
const slotsOf = prepared((db, p: { accountId: number }) =>
  db.selectFrom('sms_key').where('account_id', '=', p.accountId).select('slot'),
)

interface SealedRow {
  masterKeyId: string | null
  sealed: Buffer | null
}

/** A structured clone turns a Buffer into a Uint8Array. */
const toRow = (sealed: Sealed | null): SealedRow =>
  sealed === null
    ? { masterKeyId: null, sealed: null }
    : { masterKeyId: sealed.masterKeyId, sealed: Buffer.from(sealed.bytes) }

const insert = prepared((db, p: Omit<NewKey, 'sealed'> & SealedRow & { slot: number }) =>
  db
    .insertInto('sms_key')
    .values({
      account_id: p.accountId,
      slot: p.slot,
      label: p.label,
      prefix: p.prefix,
      hash: p.hash,
      created_at: p.now,
      last_used_at: null,
      master_key_id: p.masterKeyId,
      sealed: p.sealed,
    })
    .returning(shown),
)

const owner = prepared((db, p: { id: number }) =>
  db.selectFrom('sms_key').where('id', '=', p.id).select(['account_id', 'hash', 'label', 'master_key_id']),
)

const setSealed = prepared((db, p: SealedRow & { id: number }) =>
  db.updateTable('sms_key').set({ master_key_id: p.masterKeyId, sealed: p.sealed }).where('id', '=', p.id),
)

const remove = prepared((db, p: { id: number }) => db.deleteFrom('sms_key').where('id', '=', p.id))

const slots = Array.from({ length: forwarderKeysMax }, (_, index) => index + 1)

const createKey = unit(
  import.meta,
  'createKey',
  ({ accountId }: CreatedKey) => inboxLockKey(accountId),
  async (tx, { sealed, actor, ...key }: CreatedKey) => {
    if (sealed !== null && !(await isCurrentKey(tx, sealed.masterKeyId))) return staleKey
    await lockInbox(tx, key.accountId)
    const taken = new Set((await tx.all(slotsOf, { accountId: key.accountId })).map(({ slot }) => slot))
    const slot = slots.find((free) => !taken.has(free))
    if (slot === undefined) throw tooMany()
    const row = await tx.only(insert, { ...key, ...toRow(sealed), slot })
    const { accountId, label: object, now: at } = key
    const after = { ...signingFields(row.id, sealed !== null), label: object }
    recordKeyEvent(tx, { accountId, at, action: 'key_create', object, actor, after })
    return row
  },
)

const tooMany = () =>
  new ApiError('bad_request', `The account has ${String(forwarderKeysMax)} forwarder keys: revoke one of them first.`)

/** The lock excludes messages that are being stored: after the revocation, no message is stored with the key. */
const revokeKey = unit(
  import.meta,
  'revokeKey',
  inboxLockKey,
  async (tx, accountId: number, id: number, at: number, actor: Actor) => {
    await lockInbox(tx, accountId)
    const row = await tx.one(owner, { id })
    requireOwner(row, accountId, 'forwarder key', id)
    tx.send(remove, { id })
    const before = { ...signingFields(id, row.master_key_id !== null), label: row.label }
    recordKeyEvent(tx, { accountId, at, action: 'key_revoke', object: row.label, actor, before })
  },
)

const setSigningKey = unit(
  import.meta,
  'setSigningKey',
  inboxLockKey,
  async (tx, accountId: number, id: number, sealed: Sealed | null, at: number, actor: Actor) => {
    if (sealed !== null && !(await isCurrentKey(tx, sealed.masterKeyId))) return staleKey
    await lockInbox(tx, accountId)
    const row = await tx.one(owner, { id })
    requireOwner(row, accountId, 'forwarder key', id)
    const hadSigningKey = row.master_key_id !== null
    if (sealed === null && !hadSigningKey) return undefined
    tx.send(setSealed, { id, ...toRow(sealed) })
    const [before, after] = [signingFields(id, hadSigningKey), signingFields(id, sealed !== null)]
    recordKeyEvent(tx, { accountId, at, action: 'key_change', object: row.label, actor, before, after })
    return undefined
  },
)

export type KeyStore = ReturnType<typeof keyStore>

/** Forwarder keys of an account. */
export const keyStore = (db: Database, vault: Vault) => ({
  /**
   * Creates a key. Its value is returned once and not stored.
   * @throws ApiError `bad_request` if the account has five keys
   */
  async create(
    account: Account,
    label: string,
    signingKey: string | undefined,
  ): Promise<ForwarderKey & { readonly key: string }> {
    const key = newKey()
    const [hash, prefix] = [digest(key), key.slice(0, prefixLength)]
    const store = (sealed: Sealed | null) =>
      db.write(createKey, { accountId: account.id, label, prefix, hash, now: Date.now(), sealed, actor: account.actor })
    const row =
      signingKey === undefined
        ? await store(null)
        : await vault.seal(signingKey, signingKeyIdentity(account.id, hash), store)
    if (row === staleKey) throw new Error('createKey returned staleKey without a signing key.')
    return { ...toKey(row), key }
  },

  list: async (account: Account): Promise<ForwarderKey[]> =>
    (await db.all(ofAccount, { accountId: account.id })).map(toKey),

  /** Sets or removes the signing key. @throws ApiError `not_found`; `forbidden` for a key of another account */
  async setSigningKey(account: Account, id: number, signingKey: string | null): Promise<void> {
    const row = await db.one(owner, { id })
    requireOwner(row, account.id, 'forwarder key', id)
    const store = (sealed: Sealed | null) => db.write(setSigningKey, account.id, id, sealed, Date.now(), account.actor)
    if (signingKey === null) await store(null)
    else await vault.seal(signingKey, signingKeyIdentity(account.id, row.hash), store)
  },

  /** @throws ApiError `not_found`; `forbidden` for a key of another account */
  revoke: (account: Account, id: number): Promise<void> =>
    db.write(revokeKey, account.id, id, Date.now(), account.actor),
})
