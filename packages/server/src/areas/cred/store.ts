import { ApiError, badRequestSentence } from '@svc/contract/errors'
import { lockAccount } from '../../db/account-lock-store.js'
import type { Database, Transaction } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import { unit } from '../../db/unit.js'
import { changedFields, recordEvent, type EventFields } from '../../journal/event-store.js'
import { isCurrentKey } from '../../ports/vault/key-store.js'
import { staleKey, type Sealed, type StaleKey } from '../../ports/vault/port.js'
import { limitOf } from '../../shared/account-limits.js'
import type { Account } from '../../shared/account.js'
import type { Actor } from '../../shared/actor.js'
import { requireOwner } from '../../shared/require-owner.js'

/** The unique name of a credential in its account. */
export interface CredentialName {
  readonly platform: string
  /** Empty if not set. */
  readonly label: string
}

/** A credential without its secret. */
export interface Credential extends CredentialName {
  readonly id: number
  readonly username: string | null
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly updatedAt: number
}

export interface SealedCredential extends Credential {
  readonly sealed: Uint8Array
}

/** Columns of `Credential`. */
export const credentialColumns = [
  'id',
  'platform',
  'label',
  'username',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const

/** Served by credential_name. */
const count = prepared((db, p: { accountId: number }) =>
  db
    .selectFrom('credential')
    .where('account_id', '=', p.accountId)
    .select((row) => row.fn.countAll<number>().as('count')),
)

/** Served by credential_name. */
const byName = prepared((db, p: CredentialName & { accountId: number }) =>
  db
    .selectFrom('credential')
    .where('account_id', '=', p.accountId)
    .where('platform', '=', p.platform)
    .where('label', '=', p.label)
    .select(['id', 'username']),
)

interface GivenCredential extends CredentialName {
  readonly username: string | null
}

const upsert = prepared(
  (db, p: GivenCredential & { accountId: number; masterKeyId: string; sealed: Buffer; now: number }) =>
    db
      .insertInto('credential')
      .values({
        account_id: p.accountId,
        platform: p.platform,
        label: p.label,
        username: p.username,
        master_key_id: p.masterKeyId,
        sealed: p.sealed,
        created_at: p.now,
        updated_at: p.now,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'platform', 'label'])
          .doUpdateSet({ username: p.username, master_key_id: p.masterKeyId, sealed: p.sealed, updated_at: p.now }),
      )
      .returning(credentialColumns),
)

const byId = prepared((db, p: { id: number }) =>
  db
    .selectFrom('credential')
    .where('id', '=', p.id)
    .select([...credentialColumns, 'sealed', 'account_id']),
)

const update = prepared((db, p: GivenCredential & { id: number; masterKeyId: string; sealed: Buffer; now: number }) =>
  db
    .updateTable('credential')
    .set({
      platform: p.platform,
      label: p.label,
      username: p.username,
      master_key_id: p.masterKeyId,
      sealed: p.sealed,
      updated_at: p.now,
    })
    .where('id', '=', p.id)
    .returning(credentialColumns),
)

const owner = prepared((db, p: { id: number }) =>
  db.selectFrom('credential').where('id', '=', p.id).select('account_id'),
)

const remove = prepared((db, p: { accountId: number; id: number }) =>
  db
    .deleteFrom('credential')
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId)
    .returning(['platform', 'label']),
)

/** The lock key of units that lock an account to count its credentials (see `Unit.lockKey`). */
const lockKey = (accountId: number): string => `credentials of ${String(accountId)}`

/** Names what was replaced beside the name: the values are in no event. */
function replaced(isSecret: boolean, isUsername: boolean): EventFields | undefined {
  const changed = [...(isUsername ? ['username'] : []), ...(isSecret ? ['secret'] : [])]
  return changed.length === 0 ? undefined : { changed }
}

/** Who changes the credentials of an account. */
interface Writer {
  readonly accountId: number
  readonly actor: Actor
  readonly now: number
}

const event = (
  tx: Transaction,
  { now: at, ...by }: Writer,
  given: Omit<CredentialEvent, keyof Writer | 'area' | 'at'>,
) => {
  recordEvent(tx, { ...by, at, area: 'cred', ...given })
}

type CredentialEvent = Parameters<typeof recordEvent<'cred'>>[1]

const storeCredential = unit(
  import.meta,
  'storeCredential',
  ({ accountId }: Writer) => lockKey(accountId),
  async (tx, writer: Writer, given: GivenCredential, { masterKeyId, bytes }: Sealed, max: number) => {
    const { accountId, now } = writer
    lockAccount(tx, accountId)
    // After the wait for the account: a rotation of the master key waits for this check.
    if (!(await isCurrentKey(tx, masterKeyId))) return staleKey
    const existing = await tx.one(byName, { accountId, platform: given.platform, label: given.label })
    if (!existing && (await tx.only(count, { accountId })).count >= max)
      throw new ApiError(
        'bad_request',
        `The account has ${String(max)} credentials, which is the maximum: delete one first.`,
      )
    const row = await tx.only(upsert, { ...given, accountId, masterKeyId, sealed: Buffer.from(bytes), now })
    const { id, label, platform: object } = row
    event(tx, writer, {
      object,
      action: existing ? 'credential_change' : 'credential_create',
      after: { id, label, ...(existing && replaced(true, existing.username !== given.username)) },
    })
    return row
  },
)

/** The result of an update of a credential that has changed since it was read. */
export const changedMeanwhile = 'changed meanwhile'

interface Change {
  /** As it was read. */
  readonly before: SealedCredential
  readonly after: GivenCredential
  readonly sealed: Sealed
  /** Whether another secret is given. */
  readonly isNewSecret: boolean
}

const nameOf = ({ platform, label }: CredentialName): EventFields => ({ platform, label })

const updateCredential = unit(
  import.meta,
  'updateCredential',
  ({ accountId }: Writer) => lockKey(accountId),
  async (tx, writer: Writer, change: Change) => {
    const { before, after, sealed, isNewSecret } = change
    const { masterKeyId, bytes } = sealed
    const [{ id }, { accountId, now }] = [before, writer]
    lockAccount(tx, accountId)
    // As for `storeCredential`.
    if (!(await isCurrentKey(tx, masterKeyId))) return staleKey
    const row = await tx.one(byId, { id })
    requireOwner(row, accountId, 'credential', id)
    // Each encryption has other bytes, and a new name or user name comes with one.
    if (!Buffer.from(row.sealed).equals(before.sealed)) return changedMeanwhile
    const other = await tx.one(byName, { accountId, platform: after.platform, label: after.label })
    if (other && other.id !== id)
      throw badRequestSentence(
        'label',
        `Another credential of the account, with the id ${String(other.id)}, has this platform and label: choose another label, or delete it first`,
      )
    const differs = changedFields(nameOf(before), nameOf(after))
    const others = replaced(isNewSecret, before.username !== after.username)
    if (differs !== undefined || others !== undefined)
      event(tx, writer, {
        object: before.platform,
        action: 'credential_change',
        before: { id, ...differs?.before },
        after: { id, ...differs?.after, ...others },
      })
    return tx.only(update, { ...after, id, masterKeyId, sealed: Buffer.from(bytes), now })
  },
)

const removeCredential = unit(import.meta, 'removeCredential', async (tx, writer: Writer, id: number) => {
  const { accountId } = writer
  const removed = await tx.one(remove, { accountId, id })
  if (removed === undefined) requireOwner(await tx.one(owner, { id }), accountId, 'credential', id)
  else
    event(tx, writer, { object: removed.platform, action: 'credential_delete', before: { id, label: removed.label } })
})

const writerOf = ({ id: accountId, actor }: Account): Writer => ({ accountId, actor, now: Date.now() })

export type CredentialStore = ReturnType<typeof credentialStore>

/** Credentials of an account. Their secrets are encrypted before they get here. @param max the setting */
export const credentialStore = (db: Database, max: number) => ({
  /** The platform of a credential of the account; undefined for another id. */
  platformOf: async ({ id: accountId }: Account, id: number): Promise<string | undefined> => {
    const row = await db.one(byId, { id })
    return row?.account_id === accountId ? row.platform : undefined
  },

  /** Replaces the credential of the same platform and label. @throws ApiError `bad_request` beyond the limit */
  store: (account: Account, given: GivenCredential, sealed: Sealed): Promise<Credential | StaleKey> =>
    db.write(storeCredential, writerOf(account), given, sealed, limitOf(account, 'credentials', max)),

  /** @throws ApiError `not_found`, `forbidden` */
  async get({ id: accountId }: Account, id: number): Promise<SealedCredential> {
    const row = await db.one(byId, { id })
    requireOwner(row, accountId, 'credential', id)
    return row
  },

  /** @throws ApiError `bad_request` for the name of another credential */
  update: (account: Account, change: Change): Promise<Credential | StaleKey | typeof changedMeanwhile> =>
    db.write(updateCredential, writerOf(account), change),

  /** @throws ApiError `not_found`, `forbidden` */
  remove: (account: Account, id: number): Promise<void> => db.write(removeCredential, writerOf(account), id),
})
