import { sql } from 'kysely'
import { historyDaysMax } from '@svc/contract/limits'
import { oldDays, oldDaysJob } from '../../../db/old-days-store.js'
import type { Database, Dialect, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { zoneOutcomes, type ZoneCounts, type ZoneOutcome } from '../../../ports/dns/query-counts.js'
import type { Account } from '../../../shared/account.js'
import { dayOf, everyDay, hourMs, hourOf, type DayRange } from '../../../shared/days.js'
import type { Job } from '../../../shared/job.js'
import { requireVerified, zoneKey } from '../zones/verified-store.js'

/** Answers of the nameserver by day and by hour. A row belongs to the account that held the zone then: no other account sees it. */

export type OutcomeCounts = Readonly<Record<ZoneOutcome, number>>

/** How many zones one transaction writes. */
const zonesAtOnce = 500

const hoursOfDay = 24

/** Days whose hours are kept: the last 24 hours are compared with those of a week before. */
const daysWithHours = 9

const given = (json: string, dialect: Dialect) => {
  const text = (at: number) => sql`value ->> ${sql.lit(at)}`
  const whole = (at: number) => (dialect === 'postgres' ? sql`cast(${text(at)} as bigint)` : text(at))
  const rows = dialect === 'postgres' ? sql`json_array_elements(cast(${json} as json))` : sql`json_each(${json})`
  const counts = zoneOutcomes.map((name, at) => sql`${whole(2 + at)} as ${sql.ref(name)}`)
  return sql<{ zone: string; holder: number } & OutcomeCounts>`(select ${text(0)} as zone, ${whole(1)} as holder,
    ${sql.join(counts)} from ${rows})`.as<'given'>(sql.ref('given'))
}

const sums = (table: 'dns_query_day' | 'dns_query_hour') =>
  Object.fromEntries(
    zoneOutcomes.map((name) => [name, sql<number>`${sql.ref(`${table}.${name}`)} + ${sql.ref(`excluded.${name}`)}`]),
  ) as Record<ZoneOutcome, ReturnType<typeof sql<number>>>

const givenCounts = zoneOutcomes.map((name) => `given.${name}` as const)

/**
 * One statement for many zones, in the order of their ids: processes that count the same zones do not deadlock. Counts of an account that
 * does not hold the zone any more are dropped. Served by dns_zone's unique name.
 */
const addToDay = prepared((db, p: { batch: string; day: number }, dialect) =>
  db
    .insertInto('dns_query_day')
    .columns(['zone_id', 'account_id', 'day', ...zoneOutcomes])
    .expression((from) =>
      from
        .selectFrom(given(p.batch, dialect))
        .innerJoin('dns_zone', (join) =>
          join.onRef('dns_zone.name', '=', 'given.zone').onRef('dns_zone.holder_id', '=', 'given.holder'),
        )
        .select(['dns_zone.id', 'given.holder', sql<number>`cast(${p.day} as integer)`.as('day'), ...givenCounts])
        // SQLite would otherwise read the conflict clause as a condition of the join.
        .where(sql<boolean>`true`)
        .orderBy('dns_zone.id'),
    )
    .onConflict((conflict) => conflict.columns(['zone_id', 'account_id', 'day']).doUpdateSet(sums('dns_query_day'))),
)

/** The same for the hour. */
const addToHour = prepared((db, p: { batch: string; day: number; hour: number }, dialect) =>
  db
    .insertInto('dns_query_hour')
    .columns(['zone_id', 'account_id', 'day', 'hour', ...zoneOutcomes])
    .expression((from) =>
      from
        .selectFrom(given(p.batch, dialect))
        .innerJoin('dns_zone', (join) =>
          join.onRef('dns_zone.name', '=', 'given.zone').onRef('dns_zone.holder_id', '=', 'given.holder'),
        )
        .select([
          'dns_zone.id',
          'given.holder',
          sql<number>`cast(${p.day} as integer)`.as('day'),
          sql<number>`cast(${p.hour} as integer)`.as('hour'),
          ...givenCounts,
        ])
        .where(sql<boolean>`true`)
        .orderBy('dns_zone.id'),
    )
    .onConflict((conflict) =>
      conflict.columns(['zone_id', 'account_id', 'day', 'hour']).doUpdateSet(sums('dns_query_hour')),
    ),
)

const addCounts = unit(import.meta, 'addCounts', async (tx, batch: string, now: number) => {
  const day = dayOf(now)
  tx.send(addToDay, { batch, day })
  tx.send(addToHour, { batch, day, hour: hourOf(now) % hoursOfDay })
})

const forgetDays = prepared((db, p: { zoneId: number }) =>
  db.deleteFrom('dns_query_day').where('zone_id', '=', p.zoneId),
)

const forgetHours = prepared((db, p: { zoneId: number }) =>
  db.deleteFrom('dns_query_hour').where('zone_id', '=', p.zoneId),
)

/** Removes the counts of a zone that is deleted, of all accounts. Served by the primary keys. */
export function forgetQueryCounts(tx: Transaction, zoneId: number): void {
  tx.send(forgetDays, { zoneId })
  tx.send(forgetHours, { zoneId })
}

interface OfAccount {
  readonly zoneId: number
  readonly accountId: number
}

const forgetDaysOf = prepared((db, p: OfAccount) =>
  db.deleteFrom('dns_query_day').where('zone_id', '=', p.zoneId).where('account_id', '=', p.accountId),
)

const forgetHoursOf = prepared((db, p: OfAccount) =>
  db.deleteFrom('dns_query_hour').where('zone_id', '=', p.zoneId).where('account_id', '=', p.accountId),
)

/** Removes what an account has counted in a zone. */
export function forgetQueryCountsOf(tx: Transaction, of: OfAccount): void {
  tx.send(forgetDaysOf, of)
  tx.send(forgetHoursOf, of)
}

/** Served by the primary key. */
const byDay = prepared((db, p: OfAccount & DayRange) =>
  db
    .selectFrom('dns_query_day')
    .where('zone_id', '=', p.zoneId)
    .where('account_id', '=', p.accountId)
    .where('day', '>=', p.first)
    .where('day', '<=', p.last)
    .select(['day', ...zoneOutcomes]),
)

/** Served by the primary key: at most 24 rows for each of `daysWithHours`. */
const byHour = prepared((db, p: OfAccount & { first: number }) =>
  db
    .selectFrom('dns_query_hour')
    .where('zone_id', '=', p.zoneId)
    .where('account_id', '=', p.accountId)
    .where('day', '>=', p.first)
    .select(['day', 'hour', ...zoneOutcomes]),
)

const none = Object.fromEntries(zoneOutcomes.map((name) => [name, 0])) as OutcomeCounts

const countsOf = (row: OutcomeCounts): OutcomeCounts =>
  Object.fromEntries(zoneOutcomes.map((name) => [name, row[name]])) as OutcomeCounts

const totalOf = (counts: OutcomeCounts): number => zoneOutcomes.reduce((sum, name) => sum + counts[name], 0)

/** The counts of one hour. */
export interface HourOfQueries {
  /** Its start, in milliseconds since the epoch. */
  readonly start: number
  readonly counts: OutcomeCounts
  /** All queries of the same hour seven days before. */
  readonly weekBefore: number
}

const hoursOfWeek = 7 * hoursOfDay

export const queryCountStore = (db: Database) => ({
  /**
   * Adds to the counts of the current day and hour. System query: `counts` names the accounts.
   * @param now in milliseconds since the epoch
   */
  async add(counts: readonly ZoneCounts[], now = Date.now()): Promise<void> {
    for (let at = 0; at < counts.length; at += zonesAtOnce) {
      const batch = counts.slice(at, at + zonesAtOnce).map((of) => [of.zone, of.holder, ...of.counts])
      await db.write(addCounts, JSON.stringify(batch), now)
    }
  },

  /** The counts of each of these days, the oldest first. @throws ApiError `forbidden_zone` */
  async days(account: Account, zone: string, days: DayRange): Promise<(OutcomeCounts & { day: string })[]> {
    const { id: zoneId } = await requireVerified(db, zoneKey(account, zone))
    return everyDay(days, await db.all(byDay, { zoneId, accountId: account.id, ...days }), none)
  },

  /** The counts of the last 24 hours, the current one included, the oldest first. @throws ApiError `forbidden_zone` */
  async hours(account: Account, zone: string, now = Date.now()): Promise<HourOfQueries[]> {
    const { id: zoneId } = await requireVerified(db, zoneKey(account, zone))
    const first = hourOf(now) - 23
    const since = dayOf((first - hoursOfWeek) * hourMs)
    const rows = await db.all(byHour, { zoneId, accountId: account.id, first: since })
    const found = new Map(rows.map((row) => [row.day * hoursOfDay + row.hour, countsOf(row)]))
    return Array.from({ length: hoursOfDay }, (_, index) => {
      const hour = first + index
      const weekBefore = totalOf(found.get(hour - hoursOfWeek) ?? none)
      return { start: hour * hourMs, counts: found.get(hour) ?? none, weekBefore }
    })
  },
})

export type QueryCountStore = ReturnType<typeof queryCountStore>

const removeDays = oldDays('dns_query_day', 'zone_id')
const removeHours = oldDays('dns_query_hour', 'zone_id')

const removeOldCounts = unit(
  import.meta,
  'removeOldCounts',
  async (tx, before: number) =>
    (await removeDays(tx, before)) + (await removeHours(tx, before + historyDaysMax - daysWithHours)),
)

/** Removes the days and hours that no history shows. */
export const queryRetention = (db: Database): Job =>
  oldDaysJob(db, removeOldCounts, {
    name: 'dns.old-queries',
    failureMessage: 'old counts of the queries for zones could not be removed',
  })
