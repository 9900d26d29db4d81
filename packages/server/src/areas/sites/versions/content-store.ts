import { sql, type Kysely } from 'kysely'
import { isIn, textList } from '../../../db/json-list.js'
import type { Database, Dialect } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Tables } from '../../../db/tables.js'
import { unit } from '../../../db/unit.js'
import type { NewBlob } from '../../../ports/blobs/intake.js'
import { addBlob, deleteBlobs } from '../../../ports/blobs/writer-store.js'
import type { Account } from '../../../shared/account.js'
import { requireRoom, siteLimitsOf, type SiteLimits } from '../limits.js'
import { queuePacks } from './compaction-store.js'
import { accountLockKey, addUse, lockUse, readUse } from './use-store.js'

/** Where the forms of a content are in an object. Positions and sizes are in bytes. */
export type PackedContent = Pick<
  Tables['site_content'],
  'sha256' | 'size' | 'start' | 'gzip_start' | 'gzip_size' | 'br_start' | 'br_size'
>

const numbers = ['size', 'start', 'gzip_start', 'gzip_size', 'br_start', 'br_size'] as const

/** Contents as a table `given`. */
const given = (json: string, dialect: Dialect) => {
  const number = (name: string) =>
    dialect === 'postgres'
      ? sql`cast(value ->> ${sql.lit(name)} as bigint) as ${sql.ref(name)}`
      : sql`value ->> ${sql.lit(name)} as ${sql.ref(name)}`
  const rows = dialect === 'postgres' ? sql`json_array_elements(cast(${json} as json))` : sql`json_each(${json})`
  return sql<PackedContent>`(select value ->> 'sha256' as sha256, ${sql.join(numbers.map(number))} from ${rows})`.as<'given'>(
    sql.ref('given'),
  )
}

/** Contents that exist already are left out. Served by site_content_once (account_id, sha256). */
const insert = prepared((db, p: { accountId: number; blob: string; contents: string; now: number }, dialect) =>
  db
    .insertInto('site_content')
    .columns(['account_id', 'blob_key', 'unused_at', 'sha256', ...numbers])
    .expression((from) =>
      from
        .selectFrom(given(p.contents, dialect))
        .select([
          sql<number>`cast(${p.accountId} as bigint)`.as('account_id'),
          sql<string>`cast(${p.blob} as text)`.as('blob_key'),
          sql<number>`cast(${p.now} as bigint)`.as('unused_at'),
          'sha256',
          ...numbers,
        ])
        // SQLite would otherwise read the conflict clause as a condition of a join.
        .where(sql<boolean>`true`),
    )
    .onConflict((conflict) => conflict.columns(['account_id', 'sha256']).doNothing())
    .returning(['size', 'gzip_size', 'br_size']),
)

/** The bytes of all forms of contents. */
export const bytesOf = (contents: readonly Pick<PackedContent, 'size' | 'gzip_size' | 'br_size'>[]): number =>
  contents.reduce((sum, { size, gzip_size, br_size }) => sum + size + (gzip_size ?? 0) + (br_size ?? 0), 0)

interface Digests {
  readonly accountId: number
  /** JSON array. */
  readonly digests: string
}

/**
 * The condition that a content of the account has one of the digests. One look-up for each digest, served by site_content_once: with a
 * join, PostgreSQL could read all contents of the account.
 */
export const hasDigest = (db: Kysely<Tables>, { accountId, digests }: Digests, dialect: Dialect) => {
  const digest = sql<{ value: string }>`${textList(digests, dialect)}`.as<'digest'>(sql.ref('digest'))
  const ids = db
    .selectFrom(digest)
    .select((row) =>
      row
        .selectFrom('site_content')
        .where('account_id', '=', accountId)
        .whereRef('sha256', '=', 'digest.value')
        .select('id')
        .as('id'),
    )
  return isIn('id', ids, dialect)
}

/** Keeps contents without files for a while longer. */
const keep = prepared((db, p: Digests & { now: number }, dialect) =>
  db
    .updateTable('site_content')
    .set({ unused_at: p.now })
    .where(hasDigest(db, p, dialect))
    .where('unused_at', 'is not', null),
)

const existing = prepared((db, p: Digests, dialect) =>
  db
    .selectFrom('site_content')
    .where(hasDigest(db, p, dialect))
    .select('sha256'),
)

const claimContents = unit(
  import.meta,
  'claimContents',
  accountLockKey,
  async (tx, accountId: number, digests: string, now: number) => {
    await lockUse(tx, accountId)
    tx.send(keep, { accountId, digests, now })
    return (await tx.all(existing, { accountId, digests })).map(({ sha256 }) => sha256)
  },
)

const addContents = unit(
  import.meta,
  'addContents',
  accountLockKey,
  async (tx, accountId: number, blob: NewBlob, contents: readonly PackedContent[], limits: SiteLimits, now: number) => {
    const use = await lockUse(tx, accountId)
    requireRoom(use, blob.size, limits)
    await addBlob(tx, blob.key, blob.size)
    // Another process may have stored some of them meanwhile.
    tx.send(keep, { accountId, digests: JSON.stringify(contents.map(({ sha256 }) => sha256)), now })
    const added = await tx.all(insert, { accountId, blob: blob.key, contents: JSON.stringify(contents), now })
    if (added.length > 0) addUse(tx, accountId, bytesOf(added))
    else deleteBlobs(tx, [blob.key])
    if (added.length > 0 && added.length < contents.length) queuePacks(tx, accountId, [blob.key])
    return added.length > 0
  },
)

export type ContentStore = ReturnType<typeof contentStore>

/** The stored bytes of the files of an account's sites. */
export const contentStore = (db: Database, limits: SiteLimits) => ({
  /** The bytes of all contents of the account, with their compressed forms. */
  use: ({ id }: Account): Promise<number> => readUse(db, id),

  /** Finds the contents that are stored already, and keeps them for the next half hour. @returns their digests */
  claim: (account: Account, digests: readonly string[]): Promise<string[]> =>
    db.write(claimContents, account.id, JSON.stringify(digests), Date.now()),

  /**
   * Adds the contents in an object, which are kept for the next half hour.
   * @returns false if all of them are stored already: the caller removes the object
   * @throws ApiError `bad_request` beyond the limit of the account
   */
  add: (account: Account, blob: NewBlob, contents: readonly PackedContent[]): Promise<boolean> =>
    db.write(addContents, account.id, blob, contents, siteLimitsOf(account, limits), Date.now()),
})
