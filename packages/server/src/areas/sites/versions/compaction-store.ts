import { sql } from 'kysely'
import { noteChange } from '../../../db/change-clock-store.js'
import { textList } from '../../../db/json-list.js'
import type { Database, Dialect, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Tables } from '../../../db/tables.js'
import { unit } from '../../../db/unit.js'
import type { NewBlob } from '../../../ports/blobs/intake.js'
import type { BlobKey } from '../../../ports/blobs/port.js'
import { addBlob, deleteBlobs } from '../../../ports/blobs/writer-store.js'
import { accountLockKey, lockUse } from './use-store.js'

/**
 * The objects that have lost contents, with the time of the next look at them. An entry stays until its object is dense or gone, so a
 * process that is killed at any point forgets none. System store: objects of all accounts.
 */

/** The position and the forms of a content. */
export type PlacedContent = Pick<
  Tables['site_content'],
  'sha256' | 'size' | 'start' | 'gzip_start' | 'gzip_size' | 'br_start' | 'br_size'
> & { readonly id: number }

/** An object to look at. */
export interface Pack {
  readonly key: BlobKey
  readonly accountId: number
}

const insertEntries = prepared((db, p: { accountId: number; keys: string; dueAt: number }, dialect) =>
  db
    .insertInto('site_compaction')
    .columns(['blob_key', 'account_id', 'due_at'])
    .expression((from) =>
      from
        .selectFrom(sql<{ value: string }>`${textList(p.keys, dialect)}`.as<'given'>(sql.ref('given')))
        .select([
          'value',
          sql<number>`cast(${p.accountId} as bigint)`.as('account_id'),
          sql<number>`cast(${p.dueAt} as bigint)`.as('due_at'),
        ])
        // SQLite would otherwise read the conflict clause as a condition of a join.
        .where(sql<boolean>`true`),
    )
    .onConflict((conflict) => conflict.column('blob_key').doUpdateSet({ due_at: p.dueAt })),
)

/** Notes objects that have lost contents. Called in the transaction that removes these. */
export function queuePacks(tx: Transaction, accountId: number, keys: readonly BlobKey[]): void {
  if (keys.length > 0) tx.send(insertEntries, { accountId, keys: JSON.stringify(keys), dueAt: 0 })
}

/** Served by site_compaction_due (due_at, blob_key). */
const dueEntries = prepared((db, p: { now: number; limit: number }) =>
  db
    .selectFrom('site_compaction')
    .where('due_at', '<=', p.now)
    .select(['blob_key as key', 'account_id as accountId'])
    .orderBy('due_at')
    .orderBy('blob_key')
    .limit(p.limit),
)

/** Served by the primary key of blob, and by site_content_by_blob. */
const density = prepared((db, p: { key: string }) =>
  db
    .selectFrom('blob')
    .where('key', '=', p.key)
    .select((row) => [
      'size',
      row
        .selectFrom('site_content')
        .where('blob_key', '=', p.key)
        .select(
          sql<number>`cast(coalesce(sum(size + coalesce(gzip_size, 0) + coalesce(br_size, 0)), 0) as bigint)`.as(
            'bytes',
          ),
        )
        .as('live'),
      row
        .selectFrom('site_content')
        .where('blob_key', '=', p.key)
        .select((contents) => contents.fn.countAll<number>().as('contents'))
        .as('contents'),
    ]),
)

const removeEntry = prepared((db, p: { key: string }) => db.deleteFrom('site_compaction').where('blob_key', '=', p.key))

const postponeEntry = prepared((db, p: { key: string; dueAt: number }) =>
  db.updateTable('site_compaction').set({ due_at: p.dueAt }).where('blob_key', '=', p.key),
)

/** Served by site_content_by_blob. */
const contentsOf = prepared((db, p: { key: string }) =>
  db
    .selectFrom('site_content')
    .where('blob_key', '=', p.key)
    .select(['id', 'sha256', 'size', 'start', 'gzip_start', 'gzip_size', 'br_start', 'br_size'])
    .orderBy('start')
    .orderBy('id'),
)

const numbers = ['id', 'start', 'gzip_start', 'br_start'] as const

/** New positions as a table `given`. */
const positions = (json: string, dialect: Dialect) => {
  const number = (name: string) =>
    dialect === 'postgres'
      ? sql`cast(value ->> ${sql.lit(name)} as bigint) as ${sql.ref(name)}`
      : sql`value ->> ${sql.lit(name)} as ${sql.ref(name)}`
  const rows = dialect === 'postgres' ? sql`json_array_elements(cast(${json} as json))` : sql`json_each(${json})`
  return sql<
    Pick<PlacedContent, (typeof numbers)[number]>
  >`(select ${sql.join(numbers.map(number))} from ${rows})`.as<'given'>(sql.ref('given'))
}

/** Contents that have been removed meanwhile are left out. Served by the primary key. */
const place = prepared((db, p: { from: string; to: string; contents: string }, dialect) =>
  db
    .updateTable('site_content')
    .from(positions(p.contents, dialect))
    .set((row) => ({
      blob_key: p.to,
      start: row.ref('given.start'),
      gzip_start: row.ref('given.gzip_start'),
      br_start: row.ref('given.br_start'),
    }))
    .whereRef('site_content.id', '=', 'given.id')
    .where('site_content.blob_key', '=', p.from),
)

/** `gone` for an object whose row has been deleted now: it had no contents. */
type PackState = 'sparse' | 'dense' | 'gone'

const settlePack = unit(
  import.meta,
  'settlePack',
  accountLockKey,
  async (tx, accountId: number, key: BlobKey): Promise<PackState> => {
    await lockUse(tx, accountId)
    const found = await tx.one(density, { key })
    if (found === undefined) return 'dense'
    if (Number(found.contents) === 0) {
      deleteBlobs(tx, [key])
      return 'gone'
    }
    if (2 * Number(found.live) < found.size) return 'sparse'
    tx.send(removeEntry, { key })
    return 'dense'
  },
)

const movePack = unit(
  import.meta,
  'movePack',
  accountLockKey,
  async (
    tx,
    accountId: number,
    key: BlobKey,
    blob: NewBlob,
    contents: readonly PlacedContent[],
    dueAt: number,
  ): Promise<boolean> => {
    await lockUse(tx, accountId)
    await addBlob(tx, blob.key, blob.size)
    const placed = await tx.run(place, { from: key, to: blob.key, contents: JSON.stringify(contents) })
    if (placed === 0) deleteBlobs(tx, [blob.key])
    // Every content that the object has is placed, because an object gets no contents after its first ones.
    tx.send(postponeEntry, { key, dueAt: placed === 0 ? 0 : dueAt })
    if (placed > 0) noteChange(tx, 'sites')
    return placed > 0
  },
)

const postponePack = unit(import.meta, 'postponePack', async (tx, key: BlobKey, dueAt: number) => {
  tx.send(postponeEntry, { key, dueAt })
})

export type CompactionStore = ReturnType<typeof compactionStore>

/** Times are milliseconds since the epoch. */
export const compactionStore = (db: Database) => ({
  /** Objects whose time has come. */
  due: (now: number, limit: number): Promise<Pack[]> => db.all(dueEntries, { now, limit }),

  /** Ends the entry of an object that has no contents any more, whose row is deleted too, or at least half of whose bytes are live. */
  settle: ({ key, accountId }: Pack): Promise<PackState> => db.write(settlePack, accountId, key),

  /** In the order of their positions. */
  contents: ({ key }: Pack): Promise<PlacedContent[]> => db.all(contentsOf, { key }),

  /**
   * Refers contents to their copies in a new object. The old one has none afterwards, and is looked at again at `dueAt`.
   * @returns false if all of them have been removed: the caller removes the new object
   */
  move: (
    { accountId, key }: Pack,
    blob: NewBlob,
    contents: readonly PlacedContent[],
    dueAt: number,
  ): Promise<boolean> => db.write(movePack, accountId, key, blob, contents, dueAt),

  /** Looks at an object again later. */
  postpone: ({ key }: Pack, dueAt: number): Promise<void> => db.write(postponePack, key, dueAt),
})
