import { sql } from 'kysely'
import type { Dialect } from '../../../db/port.js'
import type { Batch } from '../../../shared/write-batch.js'

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

/** The columns of the counts. */
export const counts = ['requests', 'hits', 'misses', 'bytes_served'] as const

export type CountColumns = Record<(typeof counts)[number], number>

export const noCounts: CountColumns = { requests: 0, hits: 0, misses: 0, bytes_served: 0 }

/** A batch by file as a parameter of `given`. */
export const jsonOf = (batch: Batch<Traffic>): string =>
  JSON.stringify(
    batch.map(([id, { requests, hits, misses, bytesServed }]) => [id, requests, hits, misses, bytesServed]),
  )

/** The batch as a table `given`. Processes that write the same rows lock them in one order if they order by id. */
export const given = (json: string, dialect: Dialect) => {
  const field = (index: number) =>
    dialect === 'postgres' ? sql`cast(value ->> ${sql.lit(index)} as bigint)` : sql`value ->> ${sql.lit(index)}`
  const fields = sql.join(['id', ...counts].map((name, index) => sql`${field(index)} as ${sql.ref(name)}`))
  const rows = dialect === 'postgres' ? sql`json_array_elements(cast(${json} as json))` : sql`json_each(${json})`
  return sql<CountColumns & { readonly id: number }>`(select ${fields} from ${rows})`.as<'given'>(sql.ref('given'))
}

/** For a row that exists: adds the counts of the row that was to be inserted. */
export const addCounts = (table: 'file_traffic' | 'file_traffic_day' | 'account_traffic_day') =>
  Object.fromEntries(
    counts.map((count) => [count, sql<number>`${sql.ref(`${table}.${count}`)} + ${sql.ref(`excluded.${count}`)}`]),
  )
