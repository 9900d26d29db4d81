import type { TokenScope } from '@svc/contract'
import { ApiError, badRequest } from '@svc/contract/errors'
import { sql, type Kysely } from 'kysely'
import { lockAccount } from '../../../db/account-lock-store.js'
import { isInBytes } from '../../../db/json-list.js'
import type { Database, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Tables } from '../../../db/tables.js'
import { unit } from '../../../db/unit.js'
import type { Account } from '../../../shared/account.js'
import { hourMs } from '../../../shared/days.js'
import { readNewestFirst } from '../../../shared/page.js'
import { quoted } from '../../../shared/quoted.js'
import { requireOwner } from '../../../shared/require-owner.js'
import { turns } from '../../../shared/turns.js'
import { accountColumns, toAccount, type AccountRow } from '../accounts/store.js'
import { digest, newToken } from '../secrets.js'
import { unlimited, type TokenLimits } from './limits.js'

/** A token as its owner sees it. Times are milliseconds since the epoch. */
export interface Token {
  readonly id: number
  /** Unique in the account. */
  readonly name: string
  /** The first characters of the value. */
  readonly prefix: string
  readonly scopes: readonly TokenScope[]
  readonly createdAt: number
  readonly lastUsedAt: number | null
  /** Null before the first use. */
  readonly lastUsedNetwork: string | null
  readonly limits: TokenLimits
}

interface LimitsRow {
  expires_at: number | null
  unused_days: number | null
  networks: string
  paused: number
}

interface TokenRow extends LimitsRow {
  id: number
  name: string
  prefix: string
  scopes: string
  created_at: number
  last_used_at: number | null
  last_used_network: string | null
}

const limitsColumns = ['expires_at', 'unused_days', 'networks', 'paused'] as const

const shown = [
  'id',
  'name',
  'prefix',
  'scopes',
  'created_at',
  'last_used_at',
  'last_used_network',
  ...limitsColumns,
] as const

const toLimits = ({ expires_at, unused_days, networks, paused }: LimitsRow): TokenLimits => ({
  expiresAt: expires_at,
  unusedDays: unused_days,
  networks: networks === '[]' ? unlimited.networks : (JSON.parse(networks) as string[]),
  isPaused: paused === 1,
})

const toToken = ({
  id,
  name,
  prefix,
  scopes,
  created_at,
  last_used_at,
  last_used_network,
  ...row
}: TokenRow): Token => ({
  id,
  name,
  prefix,
  scopes: toScopes(scopes),
  createdAt: created_at,
  lastUsedAt: last_used_at,
  lastUsedNetwork: last_used_network,
  limits: toLimits(row),
})

const toScopes = (text: string) => text.split(' ') as TokenScope[]

/** A token that authenticates, and its account. */
export interface Authenticating {
  readonly token: Pick<Token, 'id' | 'scopes' | 'createdAt' | 'lastUsedAt' | 'limits'>
  readonly account: Account
}

const toAuthenticating = (
  row: AccountRow &
    LimitsRow &
    Pick<TokenRow, 'scopes' | 'last_used_at'> & { token_id: number; token_created_at: number },
): Authenticating => ({
  token: {
    id: row.token_id,
    scopes: toScopes(row.scopes),
    createdAt: row.token_created_at,
    lastUsedAt: row.last_used_at,
    limits: toLimits(row),
  },
  account: toAccount(row),
})

/** A token that was found by its value before a rotation: it ends then. */
const toFormer = ({
  former_until: until,
  ...row
}: Parameters<typeof toAuthenticating>[0] & { former_until: number | null }): Authenticating =>
  toAuthenticating({ ...row, expires_at: Math.min(row.expires_at ?? Infinity, until ?? 0) })

interface NewToken {
  accountId: number
  name: string
  prefix: string
  hash: Uint8Array
  scopes: string
  expiresAt: number | null
  unusedDays: number | null
  /** JSON. */
  networks: string
  now: number
}

const insert = prepared((db, p: NewToken) =>
  db
    .insertInto('token')
    .values({
      account_id: p.accountId,
      name: p.name,
      prefix: p.prefix,
      hash: p.hash,
      scopes: p.scopes,
      expires_at: p.expiresAt,
      unused_days: p.unusedDays,
      networks: p.networks,
      created_at: p.now,
      last_used_at: null,
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'name']).doNothing())
    .returning(shown),
)

/** Newest first. Served by token_by_account (account_id, id desc). */
const page = prepared((db, p: { accountId: number; before: number; rows: number }) =>
  db
    .selectFrom('token')
    .where('account_id', '=', p.accountId)
    .where('id', '<', p.before)
    .select(shown)
    .orderBy('id', 'desc')
    .limit(p.rows),
)

const withAccount = (db: Kysely<Tables>) =>
  db
    .selectFrom('token')
    .innerJoin('account', 'account.id', 'token.account_id')
    .select(['token.id as token_id', 'token.hash', 'token.scopes', 'token.created_at as token_created_at'])
    .select(['token.last_used_at', ...limitsColumns])
    .select(accountColumns)

/** Served by the unique index on hash. */
const byHash = prepared((db, p: { hash: Uint8Array }) => withAccount(db).where('token.hash', '=', p.hash))

/** Served by the unique index on hash. */
const byHashes = prepared((db, p: { digests: string }, dialect) =>
  withAccount(db).where(isInBytes('token.hash', p.digests, dialect)),
)

/** Served by token_by_former_hash. */
const byFormerHashes = prepared((db, p: { digests: string; now: number }, dialect) =>
  withAccount(db)
    .where('token.former_hash', 'is not', null)
    .where(isInBytes('token.former_hash', p.digests, dialect))
    .where('token.former_until', '>', p.now)
    .select(['token.former_hash', 'token.former_until']),
)

const update = prepared(
  (
    db,
    p: Pick<NewToken, 'expiresAt' | 'unusedDays' | 'networks' | 'name' | 'scopes'> & { id: number; paused: number },
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
      })
      .where('id', '=', p.id)
      .returning(shown),
)

/** @param p.keepUntil null if the value before ends at once */
const rotate = prepared((db, p: { id: number; hash: Uint8Array; prefix: string; keepUntil: number | null }) =>
  db
    .updateTable('token')
    .set((row) => ({
      former_hash: sql<Uint8Array | null>`case when cast(${p.keepUntil} as bigint) is null then null else ${row.ref('hash')} end`,
      former_until: p.keepUntil,
      hash: p.hash,
      prefix: p.prefix,
    }))
    .where('id', '=', p.id)
    .returning(shown),
)

/** The values of a token. */
interface Values {
  readonly hash: Uint8Array
  readonly prefix: string
  readonly former_hash: Uint8Array | null
  readonly former_until: number | null
}

const valueOf = prepared((db, p: { id: number }) =>
  db.selectFrom('token').where('id', '=', p.id).select(['hash', 'prefix', 'former_hash', 'former_until']),
)

/** Not after another rotation. */
const restore = prepared((db, p: Values & { id: number; accountId: number; rotated: Uint8Array }) =>
  db
    .updateTable('token')
    .set({ hash: p.hash, prefix: p.prefix, former_hash: p.former_hash, former_until: p.former_until })
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId)
    .where('hash', '=', p.rotated),
)

const owner = prepared((db, p: { id: number }) => db.selectFrom('token').where('id', '=', p.id).select('account_id'))

const remove = prepared((db, p: { id: number }) => db.deleteFrom('token').where('id', '=', p.id))

/** Served by token_by_name (account_id, name). */
const byName = prepared((db, p: { accountId: number; name: string }) =>
  db.selectFrom('token').where('account_id', '=', p.accountId).where('name', '=', p.name).select(shown),
)

const byId = prepared((db, p: { accountId: number; id: number }) =>
  db.selectFrom('token').where('id', '=', p.id).where('account_id', '=', p.accountId).select(shown),
)

/** The most tokens of an account. */
const tokensMax = 1_000

/** Served by token_by_account (account_id, id desc). */
const count = prepared((db, p: { accountId: number }) =>
  db
    .selectFrom('token')
    .where('account_id', '=', p.accountId)
    .select((row) => row.fn.countAll<number>().as('count')),
)

const nameTaken = (name: string) =>
  badRequest('name', `${quoted(name)} is taken by another token: choose another one, or revoke that token first`)

const createLockKey = ({ accountId }: { accountId: number }): string => `tokens of ${String(accountId)}`

const createToken = unit(import.meta, 'createToken', createLockKey, async (tx, token: NewToken) => {
  lockAccount(tx, token.accountId)
  const { count: existing } = await tx.only(count, token)
  if (existing >= tokensMax)
    throw new ApiError(
      'bad_request',
      `The account has ${String(existing)} tokens, and may have ${String(tokensMax)}: revoke one first.`,
    )
  const row = await tx.one(insert, token)
  if (row !== undefined) return row
  throw nameTaken(token.name)
})

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

/** The lock key of units that change tokens (see `Unit.lockKey`). */
const changeLockKey = (accountId: number): string => createLockKey({ accountId })

const updateToken = unit(
  import.meta,
  'updateToken',
  changeLockKey,
  async (tx, accountId: number, id: number, change: TokenChange) => {
    const before = await lockToken(tx, accountId, id)
    const { name, scopes, expiresAt, unusedDays, networks, isPaused } = { ...before, ...before.limits, ...change }
    if (name !== before.name && (await tx.one(byName, { accountId, name })) !== undefined) throw nameTaken(name)
    return tx.only(update, {
      id,
      name,
      scopes: scopes.join(' '),
      expiresAt,
      unusedDays,
      networks: JSON.stringify(networks),
      paused: Number(isPaused),
    })
  },
)

const rotateToken = unit(
  import.meta,
  'rotateToken',
  changeLockKey,
  async (tx, accountId: number, id: number, value: { hash: Uint8Array; prefix: string; keepUntil: number | null }) => {
    await lockToken(tx, accountId, id)
    const previous = await tx.only(valueOf, { id })
    return { row: await tx.only(rotate, { id, ...value }), previous }
  },
)

const undoRotation = unit(
  import.meta,
  'undoRotation',
  changeLockKey,
  async (tx, accountId: number, id: number, rotated: Uint8Array, previous: Values) => {
    lockAccount(tx, accountId)
    tx.send(restore, { ...previous, id, accountId, rotated })
  },
)

const revokeToken = unit(import.meta, 'revokeToken', changeLockKey, async (tx, accountId: number, id: number) => {
  await lockToken(tx, accountId, id)
  tx.send(remove, { id })
})

const prefixOf = (token: string): string => token.slice(0, 'svc_'.length + 6)

export type TokenStore = ReturnType<typeof tokenStore>

/** Tokens of an account. */
export function tokenStore(db: Database) {
  const oneEachTurn = turns()

  /** Finds tokens by their values before a rotation. @returns by digest */
  async function byFormer(digests: readonly string[]): Promise<Map<string, Authenticating>> {
    const rows = await db.all(byFormerHashes, { digests: JSON.stringify(digests), now: Date.now() })
    return new Map(
      rows.flatMap((row) =>
        row.former_hash === null ? [] : [[Buffer.from(row.former_hash).toString('hex'), toFormer(row)] as const],
      ),
    )
  }

  return {
    /**
     * Creates a token. Its value is returned once and not stored.
     * @throws ApiError `bad_request` if another token of the account has the name, or for too many tokens
     */
    create: async (
      account: Account,
      name: string,
      scopes: readonly TokenScope[],
      { expiresAt, unusedDays, networks }: Omit<TokenLimits, 'isPaused'> = unlimited,
    ): Promise<Token & { token: string }> => {
      const token = newToken()
      const row = await db.write(createToken, {
        accountId: account.id,
        name,
        prefix: prefixOf(token),
        hash: digest(token),
        scopes: scopes.join(' '),
        expiresAt,
        unusedDays,
        networks: JSON.stringify(networks),
        now: Date.now(),
      })
      return { ...toToken(row), token }
    },

    /** Changes the given fields. @throws ApiError `not_found`, `forbidden`; `bad_request` if another token has the name */
    update: async (account: Account, id: number, change: TokenChange): Promise<Token> =>
      toToken(await db.write(updateToken, account.id, id, change)),

    /**
     * Gives a token a new value, which is returned once and not stored.
     * @param keepHours for how many hours the value before still works
     * @returns with a function that takes the new value back, and restores the values before
     * @throws ApiError `not_found`, `forbidden`
     */
    rotate: async (
      account: Account,
      id: number,
      keepHours: number,
    ): Promise<Token & { token: string; undo: () => Promise<void> }> => {
      const token = newToken()
      const keepUntil = keepHours === 0 ? null : Date.now() + keepHours * hourMs
      const value = { hash: digest(token), prefix: prefixOf(token), keepUntil }
      const { row, previous } = await db.write(rotateToken, account.id, id, value)
      const undo = () => db.write(undoRotation, account.id, id, value.hash, previous)
      return { ...toToken(row), token, undo }
    },

    /**
     * Finds a token and its account, for authentication.
     * @param digest `digestText` of the value
     * @returns undefined for an unknown token
     */
    async byDigest(digest: string): Promise<Authenticating | undefined> {
      const row = await db.one(byHash, { hash: Buffer.from(digest, 'hex') })
      return row ? toAuthenticating(row) : (await byFormer([digest])).get(digest)
    },

    /** The same for many tokens in one query. @returns the known tokens by their digests */
    async byDigests(digests: readonly string[]): Promise<Map<string, Authenticating>> {
      const [first = '', ...others] = digests
      // For PostgreSQL, one value costs half as much as a list of one.
      const rows =
        others.length === 0
          ? await db.all(byHash, { hash: Buffer.from(first, 'hex') })
          : await db.all(byHashes, { digests: JSON.stringify(digests) })
      const found = new Map(rows.map((row) => [Buffer.from(row.hash).toString('hex'), toAuthenticating(row)]))
      const missing = digests.filter((digest) => !found.has(digest))
      return missing.length === 0 ? found : new Map([...found, ...(await byFormer(missing))])
    },

    /** Finds a token of the account by its id or name. A number is first taken for an id. */
    async find({ id: accountId }: Account, idOrName: string): Promise<Token | undefined> {
      const id = /^\d{1,15}$/.test(idOrName) ? Number(idOrName) : undefined
      const ofId = id === undefined ? undefined : await db.one(byId, { accountId, id })
      const row = ofId ?? (await db.one(byName, { accountId, name: idOrName }))
      return row && toToken(row)
    },

    /** Newest first, in batches. */
    list: ({ id: accountId }: Account): AsyncGenerator<Token[], undefined> =>
      readNewestFirst(
        async (before, rows) => (await db.all(page, { accountId, before, rows })).map(toToken),
        oneEachTurn,
      ),

    count: async (account: Account): Promise<number> => (await db.one(count, { accountId: account.id }))?.count ?? 0,

    /** @throws ApiError `not_found`; `forbidden` for a token of another account */
    revoke: (account: Account, id: number): Promise<void> => db.write(revokeToken, account.id, id),
  }
}
