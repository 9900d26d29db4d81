import { sql } from 'kysely'
import { isInNumbers } from '../../db/json-list.js'
import { oldDays, oldDaysJob } from '../../db/old-days-store.js'
import type { Database, Reader, Transaction } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import { unit } from '../../db/unit.js'
import { dayOf, everyDay, hourMs, hourOf, type DayRange } from '../../shared/days.js'
import type { Job } from '../../shared/job.js'

/**
 * Uses of deployments by day and by hour, with the failed attempts of webhooks. System queries: the caller has locked the row of the
 * deployment, whose uses it changes too.
 */

/** The hours of this day and of the seven days before it: each has a slot, which the same hour of a later week uses again. */
export const hourSlots = 8 * 24

export interface UseCounts {
  readonly uses: number
  readonly failures: number
}

/** Adds to the row of the day. */
const addToDay = prepared((db, p: UseCounts & { id: number; day: number }) =>
  db
    .insertInto('deployment_use_day')
    .values({ deployment_id: p.id, day: p.day, uses: p.uses, failures: p.failures })
    .onConflict((conflict) =>
      conflict
        .columns(['deployment_id', 'day'])
        .doUpdateSet({
          uses: sql<number>`deployment_use_day.uses + excluded.uses`,
          failures: sql<number>`deployment_use_day.failures + excluded.failures`,
        }),
    ),
)

/** The count of a slot after an addition: the slot may have that of an earlier hour. */
const ofSameHour = (count: keyof UseCounts) =>
  sql<number>`${sql.ref(`excluded.${count}`)} + case when deployment_use_hour.hour = excluded.hour
    then ${sql.ref(`deployment_use_hour.${count}`)} else 0 end`

/** What happens to the slot of an hour that has counts. */
export const addToSlot = {
  hour: sql<number>`excluded.hour`,
  uses: ofSameHour('uses'),
  failures: ofSameHour('failures'),
}

/** Adds to the row of the hour. */
const addToHour = prepared((db, p: UseCounts & { id: number; hour: number; slot: number }) =>
  db
    .insertInto('deployment_use_hour')
    .values({ deployment_id: p.id, slot: p.slot, hour: p.hour, uses: p.uses, failures: p.failures })
    .onConflict((conflict) => conflict.columns(['deployment_id', 'slot']).doUpdateSet(addToSlot)),
)

function add(tx: Transaction, id: number, at: number, counts: UseCounts): void {
  const hour = hourOf(at)
  tx.send(addToDay, { ...counts, id, day: dayOf(at) })
  tx.send(addToHour, { ...counts, id, hour, slot: hour % hourSlots })
}

/** Counts a use. @param at when it was counted, in milliseconds since the epoch */
export function countUse(tx: Transaction, id: number, at: number): void {
  add(tx, id, at, { uses: 1, failures: 0 })
}

/** Counts a failed attempt to forward a request. @param at when it failed, in milliseconds since the epoch */
export function countFailure(tx: Transaction, id: number, at: number): void {
  add(tx, id, at, { uses: 0, failures: 1 })
}

const removeDays = prepared((db, p: { ids: string }, dialect) =>
  db.deleteFrom('deployment_use_day').where(isInNumbers('deployment_id', p.ids, dialect)),
)

const removeHours = prepared((db, p: { ids: string }, dialect) =>
  db.deleteFrom('deployment_use_hour').where(isInNumbers('deployment_id', p.ids, dialect)),
)

/** Removes all counts of deployments, before the deployments. */
export function removeUseCounts(tx: Transaction, ids: readonly number[]): void {
  tx.send(removeDays, { ids: JSON.stringify(ids) })
  tx.send(removeHours, { ids: JSON.stringify(ids) })
}

/** Served by the primary key. */
const usesByDay = prepared((db, p: DayRange & { id: number }) =>
  db
    .selectFrom('deployment_use_day')
    .where('deployment_id', '=', p.id)
    .where('day', '>=', p.first)
    .where('day', '<=', p.last)
    .select(['day', 'uses', 'failures']),
)

/** Served by the primary key: a deployment has at most `hourSlots`. */
const usesByHour = prepared((db, p: { id: number; since: number }) =>
  db
    .selectFrom('deployment_use_hour')
    .where('deployment_id', '=', p.id)
    .where('hour', '>=', p.since)
    .select(['hour', 'uses', 'failures']),
)

/** The counts of each of these days, the oldest first. */
export const readDays = async (reader: Reader, id: number, days: DayRange): Promise<(UseCounts & { day: string })[]> =>
  everyDay(days, await reader.all(usesByDay, { id, ...days }), { uses: 0, failures: 0 })

/** The counts of one hour. */
export interface HourCounts extends UseCounts {
  /** Its start, in milliseconds since the epoch. */
  readonly start: number
  /** Those of the same hour seven days before. */
  readonly usesWeekBefore: number
}

const hoursOfWeek = 7 * 24

/** The counts of the last 24 hours, the current one included, the oldest first. @param now in milliseconds since the epoch */
export async function readHours(reader: Reader, id: number, now: number): Promise<HourCounts[]> {
  const first = hourOf(now) - 23
  const rows = await reader.all(usesByHour, { id, since: first - hoursOfWeek })
  const byHour = new Map(rows.map((row) => [row.hour, row]))
  return Array.from({ length: 24 }, (_, index) => {
    const hour = first + index
    const { uses = 0, failures = 0 } = byHour.get(hour) ?? {}
    return { start: hour * hourMs, uses, failures, usesWeekBefore: byHour.get(hour - hoursOfWeek)?.uses ?? 0 }
  })
}

const removeOld = oldDays('deployment_use_day', 'deployment_id')

const removeOldUses = unit(import.meta, 'removeOldUses', (tx, before: number) => removeOld(tx, before))

/** Removes the days that no history shows. */
export const useRetentionJob = (db: Database): Job =>
  oldDaysJob(db, removeOldUses, {
    name: 'deployments.old-uses',
    failureMessage: 'old counts of the uses of deployments could not be removed',
  })
