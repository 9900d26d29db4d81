import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { isInNumbers, isInTexts } from '../../db/json-list.js'
import type { Database, Dialect, Transaction } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import { unit } from '../../db/unit.js'
import { writerOf, type BlobKey } from './port.js'

/**
 * The objects in use, and the processes that write to the blob store. System store: objects belong to no account, the rows that
 * refer to them do.
 *
 * An object is stored before its row is committed. So that no sweep removes it in between, its key names the writer, a process
 * with a row here: the sweep touches only objects without a row whose writer has ended, and `addBlob` rejects a writer
 * that has ended. A process that was stopped for days therefore cannot commit a row whose object has been swept.
 *
 * A backup can be restored, and a copy of the database can run beside the original. Each of them must leave alone the objects of the
 * other. So the id of a writer is random, and a database sweeps only the objects of writers that it has ended itself.
 */

/** Ids are random numbers below this, so that two states of a database never give out the same one. */
const idsMax = 2 ** 48 - 1

/** How long a writer may store objects, as of one state of the database. */
export interface WriterLease {
  readonly id: number
  readonly renewals: number
}

/** A writer that has not ended. */
export interface WriterRow extends WriterLease {
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

const insertWriter = prepared((db, p: { id: number; expiresAt: number }) =>
  db.insertInto('blob_writer').values({ id: p.id, expires_at: p.expiresAt, renewals: 0 }),
)

const renewWriter = prepared((db, p: { id: number; expiresAt: number }) =>
  db
    .updateTable('blob_writer')
    .set((row) => ({ expires_at: p.expiresAt, renewals: row('renewals', '+', 1) }))
    .where('id', '=', p.id)
    .returning(['id', 'renewals']),
)

const removeWriter = prepared((db, p: { id: number }) =>
  db.deleteFrom('blob_writer').where('id', '=', p.id).returning('renewals'),
)

const removeUnrenewed = prepared((db, p: { id: number; renewals: number }) =>
  db.deleteFrom('blob_writer').where('id', '=', p.id).where('renewals', '=', p.renewals),
)

const insertEnded = prepared((db, p: { id: number }) => db.insertInto('blob_writer_ended').values({ id: p.id }))

const writers = prepared((db, _: object) =>
  db.selectFrom('blob_writer').select(['id', 'renewals', 'expires_at as expiresAt']),
)

/** Served by the primary key of blob_writer_ended. */
const endedWriters = prepared((db, p: { ids: string }, dialect) =>
  db
    .selectFrom('blob_writer_ended')
    .where(isInNumbers('id', p.ids, dialect))
    .select('id'),
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

/** The objects of a JSON array of lists of key, size and writer. */
const given = (json: string, dialect: Dialect) =>
  dialect === 'postgres'
    ? sql<GivenBlob>`(select value ->> 0 as key, cast(value ->> 1 as bigint) as size, cast(value ->> 2 as bigint) as writer from json_array_elements(cast(${json} as json)))`.as<'given'>(
        sql.ref('given'),
      )
    : sql<GivenBlob>`(select value ->> 0 as key, value ->> 1 as size, value ->> 2 as writer from json_each(${json}))`.as<'given'>(
        sql.ref('given'),
      )

interface GivenBlob {
  readonly key: string
  readonly size: number
  readonly writer: number
}

/** The same as `insertBlob` for several objects. */
const insertBlobs = prepared((db, p: { blobs: string }, dialect) =>
  db
    .insertInto('blob')
    .columns(['key', 'size'])
    .expression((from) =>
      from
        .selectFrom('blob_writer')
        .innerJoin(given(p.blobs, dialect), 'given.writer', 'blob_writer.id')
        .select(['given.key', 'given.size'])
        .$if(dialect === 'postgres', (query) => query.forKeyShare('blob_writer')),
    ),
)

/** Served by the primary key of blob. */
const removeBlobs = prepared((db, p: { keys: string }, dialect) =>
  db.deleteFrom('blob').where(isInTexts('key', p.keys, dialect)),
)

/** Waits for a transaction that is inserting the same key. */
const insertUnused = prepared((db, p: { blobs: string }, dialect) =>
  db
    .insertInto('blob')
    .columns(['key', 'size'])
    .expression((from) =>
      from
        .selectFrom(given(p.blobs, dialect))
        // The upsert of SQLite needs a condition: it would parse ON CONFLICT as that of a join.
        .where(sql<boolean>`true`)
        .select(['given.key', 'given.size']),
    )
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning('key'),
)

/** Served by the primary key of blob. */
const inUse = prepared((db, p: { keys: string }, dialect) =>
  db
    .selectFrom('blob')
    .where(isInTexts('key', p.keys, dialect))
    .select('key'),
)

/** Served by the primary key of blob. */
const pageOfBlobs = prepared((db, p: { after: string; limit: number }) =>
  db.selectFrom('blob').where('key', '>', p.after).select(['key', 'size']).orderBy('key').limit(p.limit),
)

/**
 * Adds the row of a stored object, in the transaction that refers to it.
 * @throws Error if the writer of the object has ended: the object may be gone
 */
export async function addBlob(tx: Transaction, key: BlobKey, size: number): Promise<void> {
  const added = await tx.run(insertBlob, { key, size, writer: writerOf(key) ?? 0 })
  if (added === 0) throw new Error(`The object ${key} was stored by a process whose lease has expired.`)
}

/** The same for several objects, in one statement. @throws Error if the writer of one has ended */
export async function addBlobs(tx: Transaction, blobs: readonly StoredBlob[]): Promise<void> {
  const list = blobs.map(({ key, size }) => [key, size, writerOf(key) ?? 0] as const)
  const added = await tx.run(insertBlobs, { blobs: JSON.stringify(list) })
  if (added < blobs.length) throw new Error('Some objects were stored by a process whose lease has expired.')
}

interface StoredBlob {
  readonly key: BlobKey
  /** In bytes. */
  readonly size: number
}

/** Deletes the rows of objects, after the rows that refer to them. The caller removes the objects after the commit. */
export function deleteBlobs(tx: Transaction, keys: readonly BlobKey[]): void {
  if (keys.length > 0) tx.send(removeBlobs, { keys: JSON.stringify(keys) })
}

const startWriter = unit(import.meta, 'startWriter', async (tx, id: number, expiresAt: number) => {
  tx.send(insertWriter, { id, expiresAt })
})

const keepWriter = unit(import.meta, 'keepWriter', async (tx, id: number, expiresAt: number) =>
  tx.one(renewWriter, { id, expiresAt }),
)

const endWriter = unit(import.meta, 'endWriter', async (tx, id: number) => {
  const last = await tx.one(removeWriter, { id })
  if (last === undefined) return undefined
  tx.send(insertEnded, { id })
  return { id, renewals: last.renewals + 1 }
})

const endExpired = unit(import.meta, 'endExpiredWriter', async (tx, { id, renewals }: WriterLease) => {
  if ((await tx.run(removeUnrenewed, { id, renewals })) > 0) tx.send(insertEnded, { id })
})

const forgetWriter = unit(import.meta, 'forgetWriter', async (tx, { id, renewals }: WriterLease) => {
  tx.send(removeUnrenewed, { id, renewals })
})

const findUnused = unit(import.meta, 'findUnused', async (tx, keys: readonly BlobKey[]) => {
  const inserted = await tx.all(insertUnused, { blobs: JSON.stringify(keys.map((key) => [key, 0, 0])) })
  const unused = inserted.map(({ key }) => key)
  deleteBlobs(tx, unused)
  return unused
})

export type WriterStore = ReturnType<typeof writerStore>

export const writerStore = (db: Database) => ({
  /** Times are milliseconds since the epoch. @returns the id of a new writer */
  async start(expiresAt: number): Promise<number> {
    const id = randomInt(1, idsMax)
    await db.write(startWriter, id, expiresAt)
    return id
  },

  /** @returns undefined for a writer that has ended: a new one must be started */
  renew: (id: number, expiresAt: number): Promise<WriterLease | undefined> => db.write(keepWriter, id, expiresAt),

  /** @returns the lease with one more renewal, for its mark; undefined if another process has ended the writer */
  end: (id: number): Promise<WriterLease | undefined> => db.write(endWriter, id),

  /** Ends a writer unless its lease has been renewed in the meantime. */
  endExpired: (writer: WriterLease): Promise<void> => db.write(endExpired, writer),

  /** Deletes the row of a writer, so that this database does not know it any more, unless its lease has been renewed. */
  forget: (writer: WriterLease): Promise<void> => db.write(forgetWriter, writer),

  /** The writers that have not ended, also those whose leases have expired. */
  all: (): Promise<WriterRow[]> => db.all(writers, {}),

  /** @returns those of the ids whose writers have ended in this database */
  ended: async (ids: Iterable<number>): Promise<ReadonlySet<number>> =>
    new Set((await db.all(endedWriters, { ids: JSON.stringify([...ids]) })).map(({ id }) => id)),

  /** @returns those of the keys that have a row */
  inUse: async (keys: readonly BlobKey[]): Promise<ReadonlySet<BlobKey>> =>
    new Set((await db.all(inUse, { keys: JSON.stringify(keys) })).map(({ key }) => key)),

  /**
   * Finds the objects without a row, after the unit that adds their rows has failed. The answer to a commit may have been lost, and the
   * commit may still be under way: on PostgreSQL this waits for its end. On SQLite, a write makes sure that a failed commit
   * does not take effect after a crash.
   */
  findUnused: (keys: readonly BlobKey[]): Promise<readonly BlobKey[]> => db.write(findUnused, keys),

  /** Objects with a row in the order of their keys, after a key. */
  page: (after: BlobKey, limit: number): Promise<{ key: BlobKey; size: number }[]> =>
    db.all(pageOfBlobs, { after, limit }),
})
