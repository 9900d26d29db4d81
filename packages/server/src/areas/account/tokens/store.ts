import type { TokenScope } from '@svc/contract'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Account } from '../../../shared/account.js'
import { requireOwner } from '../../../shared/require-owner.js'
import { accountColumns, toAccount } from '../accounts/store.js'
import { digest, newToken } from '../secrets.js'

/** An API key as its owner sees it. Times are milliseconds since the epoch. */
export interface Token {
  readonly id: number
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
    .returning(shown),
)

/** Newest first. Served by token_by_account (account_id, id desc). */
const ofAccount = prepared((db, p: { accountId: number }) =>
  db.selectFrom('token').where('account_id', '=', p.accountId).select(shown).orderBy('id', 'desc'),
)

/** Served by the unique index on hash. */
const byHash = prepared((db, p: { hash: Uint8Array }) =>
  db
    .selectFrom('token')
    .innerJoin('account', 'account.id', 'token.account_id')
    .where('token.hash', '=', p.hash)
    .select(['token.id as token_id', 'token.scopes', 'token.last_used_at'])
    .select(accountColumns),
)

const owner = prepared((db, p: { id: number }) => db.selectFrom('token').where('id', '=', p.id).select('account_id'))

const remove = prepared((db, p: { id: number }) => db.deleteFrom('token').where('id', '=', p.id))

const createToken = unit(import.meta, 'createToken', async (tx, token: NewToken) => tx.only(insert, token))

const revokeToken = unit(import.meta, 'revokeToken', async (tx, accountId: number, id: number) => {
  requireOwner(await tx.one(owner, { id }), accountId, 'API key', id)
  await tx.run(remove, { id })
})

export type TokenStore = ReturnType<typeof tokenStore>

/** Tokens of an account. */
export const tokenStore = (db: Database) => ({
  /** Creates a token. Its value is returned here and stored nowhere. */
  create: async (account: Account, name: string, scopes: readonly TokenScope[]): Promise<Token & { token: string }> => {
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

  /** Finds a token and its account by the value, for authentication. @returns undefined for an unknown token */
  bySecret: async (secret: string) => {
    const row = await db.one(byHash, { hash: digest(secret) })
    if (row === undefined) return undefined
    const token = { id: row.token_id, scopes: toScopes(row.scopes), lastUsedAt: row.last_used_at }
    return { account: toAccount(row), token }
  },

  list: async (account: Account): Promise<Token[]> => (await db.all(ofAccount, { accountId: account.id })).map(toToken),

  /** @throws ApiError `not_found`; `forbidden` for a token of another account */
  revoke: (account: Account, id: number): Promise<void> => db.write(revokeToken, account.id, id),
})
