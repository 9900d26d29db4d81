import { sql } from 'kysely'
import { historyDaysMax } from '@svc/contract/limits'
import { dayOf } from '../shared/days.js'
import type { Job } from '../shared/job.js'
import { isIn } from './json-list.js'
import type { Database, Transaction } from './port.js'
import { prepared } from './prepared.js'
import type { Tables } from './tables.js'
import type { Unit } from './unit.js'

/** Removes the rows of old days from a table with counts by day. */

type DayTable = { [T in keyof Tables]: Tables[T] extends { readonly day: number } ? T : never }[keyof Tables]

/** How many rows are removed in one transaction. */
const rowsAtOnce = 1_000

/**
 * Some rows of the oldest day. On PostgreSQL, rows that another transaction has locked are left out: it may remove them in
 * another order, with their file or deployment.
 * @param owner the column beside the day in the primary key
 * @returns a function that removes rows before a day of all accounts, and returns how many it removed: 0 for none
 */
export function oldDays(table: DayTable, owner: 'file_id' | 'account_id' | 'deployment_id' | 'zone_id') {
  /** Served by the index that begins with the day. */
  const oldest = prepared((db, p: { before: number }) =>
    db.selectFrom(table).where('day', '<', p.before).select('day').orderBy('day').limit(1),
  )

  /** Served by the same index, and by the primary key. */
  const remove = prepared((db, p: { day: number }, dialect) =>
    db
      .deleteFrom(table)
      .where('day', '=', p.day)
      .where(
        isIn(
          owner,
          sql`(select ${sql.ref(owner)} from ${sql.table(table)} where day = ${p.day} order by ${sql.ref(owner)}
            limit ${sql.lit(rowsAtOnce)} ${dialect === 'postgres' ? sql`for update skip locked` : sql``})`,
          dialect,
        ),
      ),
  )

  return async (tx: Transaction, before: number): Promise<number> => {
    const found = await tx.one(oldest, { before })
    return found === undefined ? 0 : tx.run(remove, { day: found.day })
  }
}

/**
 * A job that removes the days that no history shows. System job: those of all accounts.
 * @param remove gets the first day that is kept, calls functions of `oldDays` and returns how many rows they removed
 */
export const oldDaysJob = (
  db: Database,
  remove: Unit<[before: number], number>,
  named: Pick<Job, 'name' | 'failureMessage'>,
): Job => ({
  ...named,
  everyMs: 3_600_000,
  runsIn: 'one process',
  run: async (signal) => {
    const before = dayOf(Date.now()) - historyDaysMax
    while (!signal.aborted && (await db.write(remove, before)) > 0);
  },
})
