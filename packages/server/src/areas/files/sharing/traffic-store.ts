import { sql } from 'kysely'
import { isInTexts } from '../../../db/json-list.js'
import type { Database, Dialect } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Job } from '../../../shared/job.js'
import { WriteBatch, type Batch } from '../../../shared/write-batch.js'
import { isShareKey } from '../files/file.js'

/** Requests for the share links of a file. */
export interface Traffic {
  readonly requests: number
  /** Requests that were answered from the cache. */
  readonly hits: number
  /** Requests for which the edge fetched the file. */
  readonly misses: number
  readonly bytesServed: number
}

/** The counts of both. */
export const sumOf = (a: Traffic, b: Traffic): Traffic => ({
  requests: a.requests + b.requests,
  hits: a.hits + b.hits,
  misses: a.misses + b.misses,
  bytesServed: a.bytesServed + b.bytesServed,
})

type Row = { readonly id: number } & Record<(typeof counts)[number], number>

const counts = ['requests', 'hits', 'misses', 'bytes_served'] as const

/** The batch as a table `given`, ordered by id: processes that write the same rows lock them in one order. */
const given = (json: string, dialect: Dialect) => {
  const field = (index: number) =>
    dialect === 'postgres' ? sql`cast(value ->> ${sql.lit(index)} as bigint)` : sql`value ->> ${sql.lit(index)}`
  const fields = sql.join(['id', ...counts].map((name, index) => sql`${field(index)} as ${sql.ref(name)}`))
  const rows = dialect === 'postgres' ? sql`json_array_elements(cast(${json} as json))` : sql`json_each(${json})`
  return sql<Row>`(select ${fields} from ${rows})`.as<'given'>(sql.ref('given'))
}

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
    .onConflict((conflict) =>
      conflict
        .column('file_id')
        .doUpdateSet((row) =>
          Object.fromEntries(
            counts.map((count) => [
              count,
              sql<number>`${row.ref(`file_traffic.${count}`)} + ${row.ref(`excluded.${count}`)}`,
            ]),
          ),
        ),
    ),
)

/** Served by the unique index on share_key. */
const byKeys = prepared((db, p: { keys: string }, dialect) =>
  db
    .selectFrom('file')
    .where(isInTexts('share_key', p.keys, dialect))
    .select(['id', 'share_key as key'])
    .$narrowType<{ key: string }>(),
)

const jsonOf = (batch: Batch<Traffic>): string =>
  JSON.stringify(
    batch.map(([id, { requests, hits, misses, bytesServed }]) => [id, requests, hits, misses, bytesServed]),
  )

const addTraffic = unit(import.meta, 'addTraffic', async (tx, batch: string) => {
  tx.send(add, { batch })
})

const addLinkTraffic = unit(import.meta, 'addLinkTraffic', async (tx, batch: Batch<Traffic, string>) => {
  const traffic = new Map(batch)
  // PostgreSQL rejects some other texts, such as a NUL: one of them would fail the whole batch.
  const keys = [...traffic.keys()].filter(isShareKey)
  const files = await tx.all(byKeys, { keys: JSON.stringify(keys) })
  const known = files.flatMap(({ id, key }) => {
    const counted = traffic.get(key)
    return counted === undefined ? [] : [[id, counted] as const]
  })
  tx.send(add, { batch: jsonOf(known) })
  return known.reduce((requests, [, counted]) => requests + counted.requests, 0)
})

/** Adds to the counts of files of all accounts; system store. The counts of deleted files are dropped. */
export const trafficStore = (db: Database) => ({
  /** @param batch by id of the file */
  add: (batch: Batch<Traffic>): Promise<void> => db.write(addTraffic, jsonOf(batch)),

  /** @param batch by key of the share link @returns how many of the requests were for the links of files */
  addForLinks: (batch: Batch<Traffic, string>): Promise<number> => db.write(addLinkTraffic, batch),
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
