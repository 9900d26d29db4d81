import { ApiError } from '@svc/contract/errors'
import { forwarderKeysMax } from '@svc/contract/limits'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Account } from '../../../shared/account.js'
import { requireOwner } from '../../../shared/require-owner.js'
import { inboxLockKey, lockInbox } from './inbox-store.js'
import { digest, newKey, prefixLength } from './key.js'

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
  'signing_key_id as signingKeyId',
] as const

interface KeyRow extends Omit<ForwarderKey, 'hasSigningKey'> {
  readonly signingKeyId: string | null
}

const toKey = ({ signingKeyId, ...row }: KeyRow): ForwarderKey => ({ ...row, hasSigningKey: signingKeyId !== null })

interface NewKey {
  accountId: number
  label: string
  prefix: string
  hash: Uint8Array
  now: number
}

/** Newest first. Served by the unique index sms_key_slot (account_id, slot): five rows at most. */
const ofAccount = prepared((db, p: { accountId: number }) =>
  db.selectFrom('sms_key').where('account_id', '=', p.accountId).select(shown).orderBy('id', 'desc'),
)

/** Served by sms_key_slot. */
const slotsOf = prepared((db, p: { accountId: number }) =>
  db.selectFrom('sms_key').where('account_id', '=', p.accountId).select('slot'),
)

const insert = prepared((db, p: NewKey & { slot: number }) =>
  db
    .insertInto('sms_key')
    .values({
      account_id: p.accountId,
      slot: p.slot,
      label: p.label,
      prefix: p.prefix,
      hash: p.hash,
      signing_key: null,
      signing_key_id: null,
      created_at: p.now,
      last_used_at: null,
    })
    .returning(shown),
)

const owner = prepared((db, p: { id: number }) => db.selectFrom('sms_key').where('id', '=', p.id).select('account_id'))

const remove = prepared((db, p: { id: number }) => db.deleteFrom('sms_key').where('id', '=', p.id))

const slots = Array.from({ length: forwarderKeysMax }, (_, index) => index + 1)

const createKey = unit(
  import.meta,
  'createKey',
  ({ accountId }: NewKey) => inboxLockKey(accountId),
  async (tx, key: NewKey) => {
    await lockInbox(tx, key.accountId)
    const taken = new Set((await tx.all(slotsOf, { accountId: key.accountId })).map(({ slot }) => slot))
    const slot = slots.find((free) => !taken.has(free))
    if (slot === undefined) throw tooMany()
    return tx.only(insert, { ...key, slot })
  },
)

const tooMany = () =>
  new ApiError('bad_request', `The account has ${String(forwarderKeysMax)} forwarder keys: revoke one of them first.`)

/** The lock excludes messages that are being stored: after the revocation, none is stored with the key. */
const revokeKey = unit(import.meta, 'revokeKey', inboxLockKey, async (tx, accountId: number, id: number) => {
  await lockInbox(tx, accountId)
  requireOwner(await tx.one(owner, { id }), accountId, 'forwarder key', id)
  await tx.run(remove, { id })
})

export type KeyStore = ReturnType<typeof keyStore>

/** Forwarder keys of an account. */
export const keyStore = (db: Database) => ({
  /**
   * Creates a key. Its value is returned here and stored nowhere.
   * @throws ApiError `bad_request` if the account has five keys
   */
  async create(account: Account, label: string): Promise<ForwarderKey & { readonly key: string }> {
    const key = newKey()
    const row = await db.write(createKey, {
      accountId: account.id,
      label,
      prefix: key.slice(0, prefixLength),
      hash: digest(key),
      now: Date.now(),
    })
    return { ...toKey(row), key }
  },

  list: async (account: Account): Promise<ForwarderKey[]> =>
    (await db.all(ofAccount, { accountId: account.id })).map(toKey),

  /** @throws ApiError `not_found`; `forbidden` for a key of another account */
  revoke: (account: Account, id: number): Promise<void> => db.write(revokeKey, account.id, id),
})
