import type { TokenScope } from '@svc/contract'
import { forbidden, notFound } from '@svc/contract/errors'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Account, Caller } from '../../../shared/account.js'
import { lastUse, type Uses } from '../last-use/last-use.js'
import { digest, newToken } from '../secrets.js'
import { usesOf } from '../last-use/used-rows.js'

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
  scopes: scopes.split(' ') as TokenScope[],
  createdAt: created_at,
  lastUsedAt: last_used_at,
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
    .returning(shown),
)

/** Served by the unique index on hash. */
const byHash = prepared((db, p: { hash: Uint8Array }) =>
  db
    .selectFrom('token')
    .innerJoin('account', 'account.id', 'token.account_id')
    .where('token.hash', '=', p.hash)
    .select(['token.id as token_id', 'token.scopes', 'token.last_used_at'])
    .select(['account.id', 'account.email', 'account.nickname', 'account.created_at']),
)

/** Newest first. Served by token_by_account (account_id, id desc). */
const ofAccount = prepared((db, p: { accountId: number }) =>
  db.selectFrom('token').where('account_id', '=', p.accountId).select(shown).orderBy('id', 'desc'),
)

const owner = prepared((db, p: { id: number }) => db.selectFrom('token').where('id', '=', p.id).select('account_id'))

const remove = prepared((db, p: { id: number }) => db.deleteFrom('token').where('id', '=', p.id))

/** All at once; see `usesOf` for which rows. */
const touch = prepared((db, p: { uses: string }, dialect) =>
  db
    .updateTable('token')
    .from(usesOf('token', p.uses, dialect))
    .set((of) => ({ last_used_at: of.ref('uses.at') }))
    .whereRef('token.id', '=', 'uses.id')
    .where((or) => or.or([or('last_used_at', 'is', null), or('last_used_at', '<', or.ref('uses.at'))])),
)

const createToken = unit(import.meta, 'createToken', async (tx, token: NewToken) => tx.only(insert, token))

const revokeToken = unit(import.meta, 'revokeToken', async (tx, accountId: number, id: number) => {
  const found = await tx.one(owner, { id })
  if (found === undefined) throw notFound(`API key ${String(id)}`)
  if (found.account_id !== accountId) throw forbidden('API key')
  await tx.run(remove, { id })
})

const touchTokens = unit(import.meta, 'touchTokens', async (tx, uses: Uses) => {
  await tx.run(touch, { uses: JSON.stringify(uses) })
})

export type TokenStore = ReturnType<typeof tokenStore>

/** Tokens as their owner has them. */
export const tokenStore = (db: Database) => ({
  /** Makes a token; its value is in the answer and nowhere else. */
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

  list: async (account: Account): Promise<Token[]> => (await db.all(ofAccount, { accountId: account.id })).map(toToken),

  /** @throws ApiError `not_found`, or `forbidden` for another account's */
  revoke: (account: Account, id: number): Promise<void> => db.write(revokeToken, account.id, id),
})

/**
 * Tokens as callers show them.
 * @param report is told why it could not be kept when tokens were last used
 */
export function tokenCallers(db: Database, report: (error: unknown) => void) {
  const uses = lastUse((batch) => db.write(touchTokens, batch), report)
  return {
    /** Whose token this is. Asks the database each time: a revocation counts from the next request on, in every process. */
    callerOf: async (value: string): Promise<Caller | undefined> => {
      const row = await db.one(byHash, { hash: digest(value) })
      if (row === undefined) return undefined
      uses.note(row.token_id, row.last_used_at)
      const account = { id: row.id, email: row.email, nickname: row.nickname, createdAt: row.created_at }
      return { account, scopes: row.scopes.split(' ') as TokenScope[], session: null }
    },

    /** Keeps when tokens were last used; called before the database is closed. */
    close: () => uses.close(),
  }
}
