import type { TsigAlgorithm } from '@svc/contract/limits'
import { sql, type Kysely } from 'kysely'
import { isInBytes, isInNumbers } from '../../../db/json-list.js'
import type { Database, Dialect } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Tables } from '../../../db/tables.js'
import type { Account } from '../../../shared/account.js'
import { tokenActor } from '../../../shared/actor.js'
import type { SecretIdentity } from '../../../shared/secret-identity.js'
import { accountColumns, toAccount, type AccountRow } from '../accounts/store.js'
import { tsigIdentity } from './tsig-name.js'
import { limitsColumns, toLimits, toScopes, type LimitsRow, type Token, type TokenRow } from './rows.js'

/** A token that authenticates, and its account, which is not suspended. */
export interface Authenticating {
  readonly token: Pick<Token, 'id' | 'scopes' | 'createdAt' | 'lastUsedAt' | 'limits'>
  readonly account: Account
}

interface FoundRow extends UsableRow {
  readonly value_hash: Uint8Array | null
}

interface UsableRow extends AccountRow, LimitsRow, Pick<TokenRow, 'scopes' | 'last_used_at'> {
  readonly token_id: number
  readonly token_name: string
  readonly token_created_at: number
  /** For a value before a rotation, which ends then; null for the value of the token. */
  readonly value_until: number | null
}

const toAuthenticating = ({ value_until: until, ...row }: UsableRow): Authenticating => ({
  token: {
    id: row.token_id,
    scopes: toScopes(row.scopes),
    createdAt: row.token_created_at,
    lastUsedAt: row.last_used_at,
    limits: toLimits(until === null ? row : { ...row, expires_at: Math.min(row.expires_at ?? Infinity, until) }),
  },
  account: toAccount(row, tokenActor({ id: row.token_id, name: row.token_name })),
})

const withAccount = (db: Kysely<Tables>) =>
  db
    .selectFrom('token')
    .innerJoin('account', 'account.id', 'token.account_id')
    .where('account.state', '=', sql.lit('active'))
    .select([
      'token.id as token_id',
      'token.name as token_name',
      'token.scopes',
      'token.created_at as token_created_at',
    ])
    .select(['token.last_used_at', ...limitsColumns])
    .select(accountColumns)

const byValue = (db: Kysely<Tables>) =>
  withAccount(db)
    .select(sql<Uint8Array | null>`token.hash`.as('value_hash'))
    .select(sql<number | null>`cast(null as bigint)`.as('value_until'))

interface Digests {
  /** JSON array. */
  readonly digests: string
  readonly now: number
}

/** By values before a rotation, which have not ended yet. */
const byFormer = (db: Kysely<Tables>, { digests, now }: Digests, dialect: Dialect) =>
  withAccount(db)
    .where('token.former_hash', 'is not', null)
    .where(isInBytes('token.former_hash', digests, dialect))
    .where('token.former_until', '>', now)
    .select(['token.former_hash as value_hash', 'token.former_until as value_until'])

/** Served by the unique index on hash. */
const byHash = prepared((db, p: { hash: Uint8Array }) => byValue(db).where('token.hash', '=', p.hash))

/** Served by token_by_former_hash. */
const byFormerHashes = prepared(byFormer)

interface TsigFoundRow extends FoundRow {
  readonly tsig_algorithm: TsigAlgorithm | null
  readonly sealed: Buffer | null
}

/** Served by the primary key. @param p.ids JSON array */
const byKeys = prepared((db, p: { ids: string }, dialect) =>
  byValue(db)
    .where(isInNumbers('token.id', p.ids, dialect))
    .where('token.tsig_algorithm', 'is not', null)
    .select(['token.tsig_algorithm', 'token.sealed']),
)

/** Served by the primary key. */
const newest = prepared((db, _: object) => db.selectFrom('token').select('id').orderBy('id', 'desc').limit(1))

/** A key that signs DNS messages, and its account, which is not suspended. */
export interface AuthenticatingKey extends Authenticating {
  readonly algorithm: TsigAlgorithm
  readonly sealed: Buffer
  readonly identity: SecretIdentity
}

const toKeys = (row: TsigFoundRow): AuthenticatingKey[] => {
  const { tsig_algorithm: algorithm, sealed, value_hash: hash } = row
  if (algorithm === null || sealed === null || hash === null) return []
  return [{ ...toAuthenticating(row), algorithm, sealed, identity: tsigIdentity(row.id, hash) }]
}

/** Served by token_by_update_hash. */
const byUpdateHash = prepared((db, p: { hash: Uint8Array }) =>
  withAccount(db)
    .where('token.update_hash', '=', p.hash)
    .select(sql<number | null>`cast(null as bigint)`.as('value_until')),
)

/** By an update key before a rotation. Served by token_by_former_update_hash. */
const byFormerUpdateHash = prepared((db, p: { hash: Uint8Array; now: number }) =>
  withAccount(db)
    .where('token.former_update_hash', '=', p.hash)
    .where('token.former_until', '>', p.now)
    .select('token.former_until as value_until'),
)

/** Both in one query. */
const byHashes = prepared((db, p: Digests, dialect) =>
  byValue(db)
    .where(isInBytes('token.hash', p.digests, dialect))
    .unionAll(byFormer(db, p, dialect)),
)

/** Tokens by their values. System store: the account of a value is not known before. */
export function authenticatingStore(db: Database) {
  const given = (digests: readonly string[]): Digests => ({ digests: JSON.stringify(digests), now: Date.now() })

  async function rowOf(digest: string): Promise<FoundRow | undefined> {
    // For PostgreSQL, one value costs half as much as a list of one: a single value that is unknown costs a second query instead.
    const row = await db.one(byHash, { hash: Buffer.from(digest, 'hex') })
    return row ?? db.one(byFormerHashes, given([digest]))
  }

  return {
    /**
     * Finds a token and its account, for authentication, by its value or the one before a rotation.
     * @param digest `digestText` of the value
     * @returns undefined for an unknown token
     */
    async byDigest(digest: string): Promise<Authenticating | undefined> {
      const row = await rowOf(digest)
      return row && toAuthenticating(row)
    },

    /** The same by its update key, or the one before a rotation. */
    async byUpdateDigest(digest: string): Promise<Authenticating | undefined> {
      const hash = Buffer.from(digest, 'hex')
      const row =
        (await db.one(byUpdateHash, { hash })) ?? (await db.one(byFormerUpdateHash, { hash, now: Date.now() }))
      return row && toAuthenticating(row)
    },

    /** The highest id of a token; 0 without tokens. */
    async highestId(): Promise<number> {
      return (await db.one(newest, {}))?.id ?? 0
    },

    /** Keys that sign DNS messages, by the ids of their tokens. Unknown ids and those of Bearer tokens are left out. */
    async keysByIds(ids: readonly number[]): Promise<readonly AuthenticatingKey[]> {
      const rows = await db.all(byKeys, { ids: JSON.stringify(ids) })
      return rows.flatMap(toKeys)
    },

    /** The same for many tokens in one query, also if some are unknown. @returns the known tokens by their digests */
    async byDigests(digests: readonly string[]): Promise<Map<string, Authenticating>> {
      const [first = '', ...others] = digests
      const rows =
        others.length === 0
          ? [await rowOf(first)].filter((row) => row !== undefined)
          : await db.all(byHashes, given(digests))
      return new Map(rows.map((row) => [Buffer.from(row.value_hash ?? []).toString('hex'), toAuthenticating(row)]))
    },
  }
}
