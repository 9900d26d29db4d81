import { historyDaysDefault, historyDaysMax } from '@svc/contract'
import { formatCount } from './format.js'

/** The counts of one day. @param Name of the counts, such as `uses` */
export type DayCounts<Name extends string> = { readonly day: string } & Readonly<Record<Name, number>>

/** How many days a history may show. */
export const dayChoices: readonly number[] = [7, historyDaysDefault, historyDaysMax]

/** A number of days in the address; the default for any other text. */
export const daysIn = (text: string | null): number =>
  dayChoices.find((days) => String(days) === text) ?? historyDaysDefault

const short = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** `Nov 23`. @param day a date in UTC, such as `2026-11-23` */
export const formatDay = (day: string): string => short.format(new Date(day))

/** How many days to read for a history: also as many before it, to compare, if the server has so many. */
export const daysToRead = (days: number): number => (2 * days > historyDaysMax ? days : 2 * days)

/**
 * The days of a history, and the total of the day as long before each one.
 * @param all the days that were read, the oldest first
 * @returns without totals if the days before are not known
 */
export function withDaysBefore<Name extends string>(
  all: readonly DayCounts<Name>[],
  days: number,
  names: readonly Name[],
): { readonly entries: readonly DayCounts<Name>[]; readonly before: readonly number[] } {
  const before = all.length < 2 * days ? [] : all.slice(-2 * days, -days)
  return { entries: all.slice(-days), before: before.map((day) => totalOf(day, names)) }
}

/** All counts of a day. */
const totalOf = <Name extends string>(day: DayCounts<Name>, names: readonly Name[]): number =>
  names.reduce((sum, name) => sum + day[name], 0)

/** What a chart shows: the sum of all days, and a sentence for screen readers about the day with the most. */
export function describeDays<Name extends string>(
  entries: readonly DayCounts<Name>[],
  names: readonly Name[],
): { readonly total: number; readonly most: string } {
  const totals = entries.map((entry) => ({ day: entry.day, count: totalOf(entry, names) }))
  const total = totals.reduce((sum, { count }) => sum + count, 0)
  const busiest = totals.reduce((most, next) => (next.count >= most.count ? next : most), { day: '', count: 0 })
  return { total, most: total === 0 ? '' : `most on ${formatDay(busiest.day)}: ${formatCount(busiest.count)}` }
}
