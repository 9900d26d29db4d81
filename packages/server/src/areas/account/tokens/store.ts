import type { TokenScope } from '@svc/contract'
import { ApiError, badRequest } from '@svc/contract/errors'
import type { Kysely } from 'kysely'
import { lockAccount } from '../../../db/account-lock-store.js'
import { isInBytes } from '../../../db/json-list.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Tables } from '../../../db/tables.js'
import { unit } from '../../../db/unit.js'
import type { Account } from '../../../shared/account.js'
import { readNewestFirst } from '../../../shared/page.js'
import { quoted } from '../../../shared/quoted.js'
import { requireOwner } from '../../../shared/require-owner.js'
import { turns } from '../../../shared/turns.js'
import { accountColumns, toAccount, type AccountRow } from '../accounts/store.js'
import { digest, newToken } from '../secrets.js'

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
}

interface TokenRow {
  id: number
  name: string
  prefix: string
  scopes: string
  created_at: number
  last_used_at: number | null
}

const shown = ['id', 'name', 'prefix', 'scopes', 'created_at', 'last_used_at'] as const

const toToken = ({ id, name, prefix, scopes, created_at, last_used_at }: TokenRow): Token => ({
  id,
  name,
  prefix,
  scopes: toScopes(scopes),
  createdAt: created_at,
  lastUsedAt: last_used_at,
})

const toScopes = (text: string) => text.split(' ') as TokenScope[]

/** A token that authenticates, and its account. */
export interface Authenticating {
  readonly token: Pick<Token, 'id' | 'scopes' | 'lastUsedAt'>
  readonly account: Account
}

const toAuthenticating = (
  row: AccountRow & Pick<TokenRow, 'scopes' | 'last_used_at'> & { token_id: number },
): Authenticating => ({
  token: { id: row.token_id, scopes: toScopes(row.scopes), lastUsedAt: row.last_used_at },
  account: toAccount(row),
})

interface NewToken {
  accountId: number
  name: string
  prefix: string
  hash: Uint8Array
  scopes: string
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
    .select(['token.id as token_id', 'token.hash', 'token.scopes', 'token.last_used_at'])
    .select(accountColumns)

/** Served by the unique index on hash. */
const byHash = prepared((db, p: { hash: Uint8Array }) => withAccount(db).where('token.hash', '=', p.hash))

/** Served by the unique index on hash. */
const byHashes = prepared((db, p: { digests: string }, dialect) =>
  withAccount(db).where(isInBytes('token.hash', p.digests, dialect)),
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

const createLockKey = ({ accountId }: NewToken): string => `tokens of ${String(accountId)}`

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
  throw badRequest(
    'name',
    `${quoted(token.name)} is taken by another token: choose another one, or revoke that token first`,
  )
})

const revokeToken = unit(import.meta, 'revokeToken', async (tx, accountId: number, id: number) => {
  requireOwner(await tx.one(owner, { id }), accountId, 'token', id)
  tx.send(remove, { id })
})

export type TokenStore = ReturnType<typeof tokenStore>

/** Tokens of an account. */
export function tokenStore(db: Database) {
  const oneEachTurn = turns()
  return {
    /**
     * Creates a token. Its value is returned once and not stored.
     * @throws ApiError `bad_request` if another token of the account has the name, or for too many tokens
     */
    create: async (
      account: Account,
      name: string,
      scopes: readonly TokenScope[],
    ): Promise<Token & { token: string }> => {
      const token = newToken()
      const row = await db.write(createToken, {
        accountId: account.id,
        name,
        prefix: token.slice(0, 'svc_'.length + 6),
        hash: digest(token),
        scopes: scopes.join(' '),
        now: Date.now(),
      })
      return { ...toToken(row), token }
    },

    /**
     * Finds a token and its account, for authentication.
     * @param digest `digestText` of the value
     * @returns undefined for an unknown token
     */
    async byDigest(digest: string): Promise<Authenticating | undefined> {
      const row = await db.one(byHash, { hash: Buffer.from(digest, 'hex') })
      return row && toAuthenticating(row)
    },

    /** The same for many tokens in one query. @returns the known tokens by their digests */
    async byDigests(digests: readonly string[]): Promise<Map<string, Authenticating>> {
      const [first = '', ...others] = digests
      // For PostgreSQL, one value costs half as much as a list of one.
      const rows =
        others.length === 0
          ? await db.all(byHash, { hash: Buffer.from(first, 'hex') })
          : await db.all(byHashes, { digests: JSON.stringify(digests) })
      return new Map(rows.map((row) => [Buffer.from(row.hash).toString('hex'), toAuthenticating(row)]))
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
