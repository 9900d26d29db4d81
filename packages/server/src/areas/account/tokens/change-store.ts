import type { TokenScope } from '@svc/contract'
import { ApiError, badRequest } from '@svc/contract/errors'
import { lockAccount } from '../../../db/account-lock-store.js'
import type { Database, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { changedFields, recordEvent, type AccountEvent, type EventFields } from '../../../journal/event-store.js'
import type { Account } from '../../../shared/account.js'
import type { Actor } from '../../../shared/actor.js'
import { hourMs } from '../../../shared/days.js'
import { quoted } from '../../../shared/quoted.js'
import { requireOwner } from '../../../shared/require-owner.js'
import { digest, newToken, newUpdateKey } from '../secrets.js'
import { timestamp } from '../../../shared/timestamp.js'
import type { TokenLimits } from './limits.js'
import { shown, toToken, type Token } from './rows.js'
import { rulesText } from './stored-rules.js'
import { requireUpdateHost } from './update-key.js'

/** Changes of the tokens that exist. */

/** Served by token_by_name (account_id, name). */
export const byName = prepared((db, p: { accountId: number; name: string }) =>
  db.selectFrom('token').where('account_id', '=', p.accountId).where('name', '=', p.name).select(shown),
)

export const byId = prepared((db, p: { accountId: number; id: number }) =>
  db.selectFrom('token').where('id', '=', p.id).where('account_id', '=', p.accountId).select(shown),
)

const update = prepared(
  (
    db,
    p: Pick<TokenLimits, 'expiresAt' | 'unusedDays'> & {
      id: number
      name: string
      scopes: string
      networks: string
      paused: number
      rules: string | null
    },
  ) =>
    db
      .updateTable('token')
      .set({
        name: p.name,
        scopes: p.scopes,
        expires_at: p.expiresAt,
        unused_days: p.unusedDays,
        networks: p.networks,
        paused: p.paused,
        rules: p.rules,
      })
      .where('id', '=', p.id)
      .returning(shown),
)

/** The values of a token. */
interface Values {
  readonly hash: Uint8Array
  readonly prefix: string
  readonly update_hash: Uint8Array | null
  readonly former_hash: Uint8Array | null
  readonly former_update_hash: Uint8Array | null
  readonly former_until: number | null
}

const valueColumns = [
  'hash',
  'prefix',
  'update_hash',
  'former_hash',
  'former_update_hash',
  'former_until',
] as const satisfies readonly (keyof Values)[]

/** @param p a placeholder for each value: it cannot be spread */
const setOf = (p: Values): Values => ({
  hash: p.hash,
  prefix: p.prefix,
  update_hash: p.update_hash,
  former_hash: p.former_hash,
  former_update_hash: p.former_update_hash,
  former_until: p.former_until,
})

const rotate = prepared((db, p: Values & { id: number }) =>
  db.updateTable('token').set(setOf(p)).where('id', '=', p.id).returning(shown),
)

const valuesOf = prepared((db, p: { id: number }) => db.selectFrom('token').where('id', '=', p.id).select(valueColumns))

/** Not after another rotation. */
const restore = prepared((db, p: Values & { id: number; accountId: number; rotated: Uint8Array }) =>
  db
    .updateTable('token')
    .set(setOf(p))
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId)
    .where('hash', '=', p.rotated),
)

const owner = prepared((db, p: { id: number }) => db.selectFrom('token').where('id', '=', p.id).select('account_id'))

const remove = prepared((db, p: { id: number }) => db.deleteFrom('token').where('id', '=', p.id))

/** Another token of the account has the name. */
export const nameTaken = (name: string) =>
  badRequest('name', `${quoted(name)} is taken by another token: choose another one, or revoke that token first`)

/** A secret that both sides share cannot be replaced on one side first. */
const noRotation = (name: string) =>
  new ApiError(
    'bad_request',
    `${quoted(name)} is a TSIG key, whose secret cannot change: create another key, give it to the clients, then revoke this one.`,
  )

/** The lock key of units that create and change the tokens of an account (see `Unit.lockKey`). */
export const tokensLockKey = (accountId: number): string => `tokens of ${String(accountId)}`

/** What the events of a token show of it. */
export const eventFieldsOf = ({ name, scopes, limits, tsig, hasUpdateKey }: Token): EventFields => ({
  name,
  scopes,
  rules: limits.rules?.map(({ kind, name: of, access }) => `${kind} ${of} ${access}`) ?? null,
  networks: limits.networks,
  expires_at: limits.expiresAt === null ? null : timestamp(limits.expiresAt),
  unused_days: limits.unusedDays,
  paused: limits.isPaused,
  ...(tsig && { algorithm: tsig.algorithm }),
  update_key: hasUpdateKey,
})

const recordTokenEvent = (tx: Transaction, event: Omit<AccountEvent<'account'>, 'area' | 'at'>): void => {
  recordEvent(tx, { area: 'account', at: Date.now(), ...event })
}

/** A token of the account. All changes of its tokens are locked until the transaction ends. @throws ApiError as `requireOwner` */
async function lockToken(tx: Transaction, accountId: number, id: number): Promise<Token> {
  lockAccount(tx, accountId)
  requireOwner(await tx.one(owner, { id }), accountId, 'token', id)
  return toToken(await tx.only(byId, { accountId, id }))
}

/** The fields of a token to change. */
export interface TokenChange extends Partial<TokenLimits> {
  readonly name?: string
  readonly scopes?: readonly TokenScope[]
}

const updateToken = unit(
  import.meta,
  'updateToken',
  tokensLockKey,
  async (tx, accountId: number, id: number, change: TokenChange, actor: Actor) => {
    const before = await lockToken(tx, accountId, id)
    const { name, scopes, expiresAt, unusedDays, networks, isPaused, rules } = {
      ...before,
      ...before.limits,
      ...change,
    }
    if (name !== before.name && (await tx.one(byName, { accountId, name })) !== undefined) throw nameTaken(name)
    if (before.hasUpdateKey && (change.scopes ?? change.rules) !== undefined)
      requireUpdateHost(change.rules === undefined ? 'scopes' : 'rules', { scopes, limits: { rules } })
    const row = await tx.only(update, {
      id,
      name,
      scopes: scopes.join(' '),
      expiresAt,
      unusedDays,
      networks: JSON.stringify(networks),
      paused: Number(isPaused),
      rules: rulesText(rules),
    })
    const changed = changedFields(eventFieldsOf(before), eventFieldsOf(toToken(row)))
    if (changed) recordTokenEvent(tx, { accountId, action: 'token_change', object: before.name, actor, ...changed })
    return row
  },
)

interface NewValues {
  readonly hash: Uint8Array
  readonly prefix: string
  /** For a token that has an update key. */
  readonly updateHash: Uint8Array
  /** Null if the values before end at once. */
  readonly keepUntil: number | null
}

const rotateToken = unit(
  import.meta,
  'rotateToken',
  tokensLockKey,
  async (tx, accountId: number, id: number, { keepUntil, updateHash, ...value }: NewValues, actor: Actor) => {
    const { name, tsig } = await lockToken(tx, accountId, id)
    if (tsig !== null) throw noRotation(name)
    recordTokenEvent(tx, { accountId, action: 'token_rotate', object: name, actor })
    const previous = await tx.only(valuesOf, { id })
    const isKept = keepUntil !== null
    const row = await tx.only(rotate, {
      ...{ id, ...value },
      update_hash: previous.update_hash && updateHash,
      former_hash: isKept ? previous.hash : null,
      former_update_hash: isKept ? previous.update_hash : null,
      former_until: keepUntil,
    })
    return { row, previous }
  },
)

const undoRotation = unit(
  import.meta,
  'undoRotation',
  tokensLockKey,
  async (tx, accountId: number, id: number, rotated: Uint8Array, previous: Values) => {
    lockAccount(tx, accountId)
    tx.send(restore, { ...previous, id, accountId, rotated })
  },
)

const revokeToken = unit(
  import.meta,
  'revokeToken',
  tokensLockKey,
  async (tx, accountId: number, id: number, actor: Actor) => {
    const { name } = await lockToken(tx, accountId, id)
    tx.send(remove, { id })
    recordTokenEvent(tx, { accountId, action: 'token_revoke', object: name, actor })
  },
)

const removeAll = prepared((db, p: { accountId: number }) =>
  db.deleteFrom('token').where('account_id', '=', p.accountId),
)

const revokeAllTokens = unit(
  import.meta,
  'revokeAllTokens',
  tokensLockKey,
  async (tx, accountId: number, actor: Actor) => {
    lockAccount(tx, accountId)
    const count = await tx.run(removeAll, { accountId })
    if (count > 0) recordTokenEvent(tx, { accountId, action: 'tokens_revoke', object: '', actor, after: { count } })
    return count
  },
)

/** The first characters of a value, to tell tokens apart. */
export const prefixOf = (token: string): string => token.slice(0, 'svc_'.length + 6)

/** The secrets of a token, as its owner sees them once. */
export interface TokenValues {
  readonly token: string
  /** Null for a token without one. */
  readonly updateKey: string | null
}

/** Changes of the tokens of an account. */
export const changeStore = (db: Database) => ({
  /** Changes the given fields. @throws ApiError `not_found`, `forbidden`; `bad_request` if another token has the name */
  update: async (account: Account, id: number, change: TokenChange): Promise<Token> =>
    toToken(await db.write(updateToken, account.id, id, change, account.actor)),

  /**
   * Gives a token a new value, and another update key if it has one. They are returned once and not stored.
   * @param keepHours for how many hours the values before still work
   * @returns with a function that takes the new value back, and restores the values before
   * @throws ApiError `not_found`, `forbidden`
   */
  rotate: async (
    account: Account,
    id: number,
    keepHours: number,
  ): Promise<Token & TokenValues & { undo: () => Promise<void> }> => {
    const [token, updateKey] = [newToken(), newUpdateKey()]
    const keepUntil = keepHours === 0 ? null : Date.now() + keepHours * hourMs
    const value = { hash: digest(token), prefix: prefixOf(token), updateHash: digest(updateKey), keepUntil }
    const { row, previous } = await db.write(rotateToken, account.id, id, value, account.actor)
    const undo = () => db.write(undoRotation, account.id, id, value.hash, previous)
    const rotated = toToken(row)
    return { ...rotated, token, updateKey: rotated.hasUpdateKey ? updateKey : null, undo }
  },

  /** @throws ApiError `not_found`; `forbidden` for a token of another account */
  revoke: (account: Account, id: number): Promise<void> => db.write(revokeToken, account.id, id, account.actor),

  /** @returns how many tokens the account had */
  revokeAll: (account: Account): Promise<number> => db.write(revokeAllTokens, account.id, account.actor),
})
