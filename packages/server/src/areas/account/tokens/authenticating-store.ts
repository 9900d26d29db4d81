import { sql, type Kysely } from 'kysely'
import { isInBytes } from '../../../db/json-list.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Tables } from '../../../db/tables.js'
import type { Account } from '../../../shared/account.js'
import { accountColumns, toAccount, type AccountRow } from '../accounts/store.js'
import { limitsColumns, toLimits, toScopes, type LimitsRow, type Token, type TokenRow } from './rows.js'

/** A token that authenticates, and its account, which is not suspended. */
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

const withAccount = (db: Kysely<Tables>) =>
  db
    .selectFrom('token')
    .innerJoin('account', 'account.id', 'token.account_id')
    .where('account.state', '=', sql.lit('active'))
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

/** Tokens by their values. System store: the account of a value is not known before. */
export function authenticatingStore(db: Database) {
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
  }
}
