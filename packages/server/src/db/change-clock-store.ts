import { sql } from 'kysely'
import type { Dialect, Reader, Transaction } from './port.js'
import { prepared } from './prepared.js'

/**
 * Counts the changes of one kind of rows, which processes keep in memory (`shared/followed-cache.ts`). System store.
 *
 * On PostgreSQL, a transaction locks the row that it counts in until it ends. So each kind has 64 rows, and its count is their sum.
 * The row is chosen by the id of the transaction: transactions wait for each other only if their ids have the same remainder.
 */
export type ChangeClock = 'certificates' | 'deployments' | 'sites' | 'wanted-certificates'

/** Several times the transactions that one process runs at the same time (12), so that few share a row. */
const rowsOfClock = 64

const nameOfRow = (clock: string, dialect: Dialect) =>
  dialect === 'postgres'
    ? sql<string>`cast(${clock} as text) || ' ' || cast(cast(pg_current_xact_id() as text) as bigint) % ${sql.lit(rowsOfClock)}`
    : sql<string>`${clock}`

const advanceClock = prepared((db, p: { name: string }, dialect) =>
  db
    .insertInto('change_clock')
    .values({ name: nameOfRow(p.name, dialect), value: 1 })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((row) => ({ value: row('change_clock.value', '+', 1) })),
    ),
)

/** Served by the primary key on SQLite. PostgreSQL reads the whole table: `rowsOfClock` rows for each clock. */
const clock = prepared((db, p: { name: string }, dialect) =>
  db
    .selectFrom('change_clock')
    .where(dialect === 'postgres' ? sql`split_part(name, ' ', 1)` : sql.ref('name'), '=', p.name)
    .select(sql<number>`cast(coalesce(sum(value), 0) as bigint)`.as('value')),
)

/**
 * Counts a change in the transaction that makes it. Call it last in a unit: on PostgreSQL, it locks a row, and other units that
 * count in this row wait until the transaction ends.
 */
export function noteChange(tx: Transaction, name: ChangeClock): void {
  tx.send(advanceClock, { name })
}

/** How many changes have been committed. */
export const countChanges = async (reader: Reader, name: ChangeClock): Promise<number> =>
  (await reader.one(clock, { name }))?.value ?? 0
