import { sql } from 'kysely'
import { textList } from '../../db/json-list.js'
import type { Database, Transaction } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import { unit } from '../../db/unit.js'
import { writerOf, type BlobKey } from './port.js'

/**
 * Which objects of the blob store are in use, and which processes write there. System store: objects belong to no account, the rows
 * that refer to them do.
 *
 * An object is stored before its row is committed. So that no sweep removes it in between, its key names the writer, a process
 * with a row here: the sweep touches only objects without a row whose writer is gone, and `addBlob` rejects a writer
 * that is gone. A process that was stopped for days therefore cannot commit a row whose object has been swept.
 */

const insertWriter = prepared((db, p: { expiresAt: number }) =>
  db.insertInto('blob_writer').values({ expires_at: p.expiresAt }).returning('id'),
)

const renewWriter = prepared((db, p: { id: number; expiresAt: number }) =>
  db.updateTable('blob_writer').set({ expires_at: p.expiresAt }).where('id', '=', p.id),
)

const removeExpired = prepared((db, p: { now: number }) => db.deleteFrom('blob_writer').where('expires_at', '<', p.now))

const removeWriter = prepared((db, p: { id: number }) => db.deleteFrom('blob_writer').where('id', '=', p.id))

const writers = prepared((db, _: object) => db.selectFrom('blob_writer').select('id'))

const livingWriters = prepared((db, p: { now: number }) =>
  db.selectFrom('blob_writer').where('expires_at', '>=', p.now).select('id'),
)

/**
 * The lock on PostgreSQL makes a sweep that deletes the writer wait for this transaction. It is the weakest that does so: a renewal
 * of the lease does not wait for it.
 */
const insertBlob = prepared((db, p: { key: string; size: number; writer: number }, dialect) =>
  db
    .insertInto('blob')
    .columns(['key', 'size'])
    .expression((from) =>
      from
        .selectFrom('blob_writer')
        .where('id', '=', p.writer)
        .select([sql<string>`cast(${p.key} as text)`.as('key'), sql<number>`cast(${p.size} as bigint)`.as('size')])
        .$if(dialect === 'postgres', (query) => query.forKeyShare()),
    ),
)

/** Served by the primary key of blob. */
const removeBlobs = prepared((db, p: { keys: string }, dialect) =>
  db.deleteFrom('blob').where('key', 'in', textList(p.keys, dialect)),
)

/** Waits for a transaction that is inserting the same key. */
const insertUnused = prepared((db, p: { key: string }) =>
  db
    .insertInto('blob')
    .values({ key: p.key, size: 0 })
    .onConflict((conflict) => conflict.column('key').doNothing()),
)

/** Served by the primary key of blob. */
const inUse = prepared((db, p: { keys: string }, dialect) =>
  db.selectFrom('blob').where('key', 'in', textList(p.keys, dialect)).select('key'),
)

/** Served by the primary key of blob. */
const pageOfBlobs = prepared((db, p: { after: string; limit: number }) =>
  db.selectFrom('blob').where('key', '>', p.after).select(['key', 'size']).orderBy('key').limit(p.limit),
)

/**
 * Adds the row of a stored object, in the transaction that refers to it.
 * @throws Error if the writer of the object is gone: the object may be gone too
 */
export async function addBlob(tx: Transaction, key: BlobKey, size: number): Promise<void> {
  const added = await tx.run(insertBlob, { key, size, writer: writerOf(key) ?? 0 })
  if (added === 0) throw new Error(`The object ${key} was stored by a process whose lease has expired.`)
}

/** Deletes the rows of objects, after the rows that refer to them. The caller removes the objects after the commit. */
export async function deleteBlobs(tx: Transaction, keys: readonly BlobKey[]): Promise<void> {
  if (keys.length > 0) await tx.run(removeBlobs, { keys: JSON.stringify(keys) })
}

const startWriter = unit(import.meta, 'startWriter', async (tx, expiresAt: number) => {
  const { id } = await tx.only(insertWriter, { expiresAt })
  return id
})

const keepWriter = unit(import.meta, 'keepWriter', async (tx, id: number, expiresAt: number) => {
  return (await tx.run(renewWriter, { id, expiresAt })) > 0
})

const endWriter = unit(import.meta, 'endWriter', async (tx, id: number) => {
  await tx.run(removeWriter, { id })
})

const endExpired = unit(import.meta, 'endExpiredWriters', async (tx, now: number) => {
  await tx.run(removeExpired, { now })
})

const confirmUnused = unit(import.meta, 'confirmUnused', async (tx, key: BlobKey) => {
  const isUnused = (await tx.run(insertUnused, { key })) > 0
  if (isUnused) await deleteBlobs(tx, [key])
  return isUnused
})

export type WriterStore = ReturnType<typeof writerStore>

export const writerStore = (db: Database) => ({
  /** Times are milliseconds since the epoch. @returns the id of a new writer */
  start: (expiresAt: number): Promise<number> => db.write(startWriter, expiresAt),

  /** @returns false for a writer that is gone: a new one must be started */
  renew: (id: number, expiresAt: number): Promise<boolean> => db.write(keepWriter, id, expiresAt),

  end: (id: number): Promise<void> => db.write(endWriter, id),

  endExpired: (now: number): Promise<void> => db.write(endExpired, now),

  /** Ids of the writers that exist. */
  all: async (): Promise<ReadonlySet<number>> => new Set((await db.all(writers, {})).map(({ id }) => id)),

  /** Ids of the writers whose leases have not expired. `endExpired` deletes the others. */
  living: async (now: number): Promise<ReadonlySet<number>> =>
    new Set((await db.all(livingWriters, { now })).map(({ id }) => id)),

  /** @returns those of the keys that have a row */
  inUse: async (keys: readonly BlobKey[]): Promise<ReadonlySet<BlobKey>> =>
    new Set((await db.all(inUse, { keys: JSON.stringify(keys) })).map(({ key }) => key)),

  /**
   * Checks that an object has no row, after the unit that adds the row has failed. The answer to a commit may have been lost, and the
   * commit may still be under way: on PostgreSQL this waits for its end. On SQLite, a write makes sure that a failed commit
   * does not take effect after a crash.
   */
  confirmUnused: (key: BlobKey): Promise<boolean> => db.write(confirmUnused, key),

  /** Objects with a row in the order of their keys, after a key. */
  page: (after: BlobKey, limit: number): Promise<{ key: BlobKey; size: number }[]> =>
    db.all(pageOfBlobs, { after, limit }),
})
