import { sql } from 'kysely'
import { isInTexts } from '../../../db/json-list.js'
import type { Database, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { dayOf } from '../../../shared/days.js'
import type { Job } from '../../../shared/job.js'
import { WriteBatch, type Batch } from '../../../shared/write-batch.js'
import { isShareKey } from '../files/file.js'
import { addCounts, counts, given, jsonOf, sumOf, type Traffic } from './traffic-counts.js'
import { addToDay } from './traffic-day-store.js'

/** One statement for all files. Files that have been deleted are left out; on PostgreSQL the others are locked against it. */
const add = prepared((db, p: { batch: string }, dialect) =>
  db
    .insertInto('file_traffic')
    .columns(['file_id', ...counts])
    .expression((from) =>
      from
        .selectFrom('file')
        .innerJoin(given(p.batch, dialect), 'given.id', 'file.id')
        .select(['file.id', ...counts.map((count) => `given.${count}` as const)])
        // SQLite would otherwise read the conflict clause as a condition of the join.
        .where(sql<boolean>`true`)
        .orderBy('file.id')
        .$if(dialect === 'postgres', (query) => query.forKeyShare('file')),
    )
    .onConflict((conflict) => conflict.column('file_id').doUpdateSet(addCounts('file_traffic'))),
)

/** Served by the unique index on share_key. */
const byKeys = prepared((db, p: { keys: string }, dialect) =>
  db
    .selectFrom('file')
    .where(isInTexts('share_key', p.keys, dialect))
    .select(['id', 'share_key as key'])
    .$narrowType<{ key: string }>(),
)

/** Three statements for all files, without a round trip between them. */
function addBatch(tx: Transaction, batch: string, day: number): void {
  tx.send(add, { batch })
  addToDay(tx, batch, day)
}

const addTraffic = unit(import.meta, 'addTraffic', async (tx, batch: string, day: number) => {
  addBatch(tx, batch, day)
})

const addLinkTraffic = unit(import.meta, 'addLinkTraffic', async (tx, batch: Batch<Traffic, string>, day: number) => {
  const traffic = new Map(batch)
  // PostgreSQL rejects some other texts, such as a NUL: one of them would fail the whole batch.
  const keys = [...traffic.keys()].filter(isShareKey)
  const files = await tx.all(byKeys, { keys: JSON.stringify(keys) })
  const known = files.flatMap(({ id, key }) => {
    const counted = traffic.get(key)
    return counted === undefined ? [] : [[id, counted] as const]
  })
  addBatch(tx, jsonOf(known), day)
  return known.reduce((requests, [, counted]) => requests + counted.requests, 0)
})

/**
 * Adds to the counts of files of all accounts, and to those of the current day; system store. The counts of deleted files are dropped.
 * The day is that of the call: requests in the last second of a day, and lines of a log that is read later, count on the next one.
 */
export const trafficStore = (db: Database) => ({
  /** @param batch by id of the file */
  add: (batch: Batch<Traffic>): Promise<void> => db.write(addTraffic, jsonOf(batch), dayOf(Date.now())),

  /** @param batch by key of the share link @returns how many of the requests were for the links of files */
  addForLinks: (batch: Batch<Traffic, string>): Promise<number> => db.write(addLinkTraffic, batch, dayOf(Date.now())),
})

export const trafficNotSaved = 'the request counts of shared files could not be saved'

/** Counts requests in memory. @param save adds the counts in one unit of work */
export function trafficCounter(save: (batch: Batch<Traffic>) => Promise<void>) {
  const batch = new WriteBatch<Traffic>(save, sumOf)
  const job: Job = {
    name: 'cdn.traffic',
    everyMs: 1_000,
    runsIn: 'every process',
    failureMessage: trafficNotSaved,
    run: () => batch.flush(),
  }
  return {
    count: (fileId: number, traffic: Traffic): void => batch.add(fileId, traffic),
    /** @throws the error of `save`. The counts are kept for the next flush. */
    flush: () => batch.flush(),
    job,
  }
}
