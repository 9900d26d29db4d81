import { historyDaysDefault, historyDaysMax } from '@svc/contract'
import { formatCount } from './format.js'

/** The counts of one day. @param Name of the counts, such as `uses` */
export type DayCounts<Name extends string> = { readonly day: string } & Readonly<Record<Name, number>>

/** The counts of one hour. Its `day` is the time when it began, in RFC 3339. */
export type HourCounts<Name extends string> = DayCounts<Name> & {
  /** The total of the same hour seven days before. */
  readonly weekBefore: number
}

/** What a chart shows. */
export interface History<Name extends string> {
  readonly unit: 'day' | 'hour'
  /** The oldest first. */
  readonly entries: readonly DayCounts<Name>[]
  /** The total before each entry, to compare; empty if unknown. */
  readonly before: readonly number[]
}

/** How many days a history may show. */
export const dayChoices: readonly number[] = [7, historyDaysDefault, historyDaysMax]

/** A number of days in the address; the default for any other text. */
export const daysIn = (text: string | null): number =>
  dayChoices.find((days) => String(days) === text) ?? historyDaysDefault

const short = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })

const ofHour = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })

/** `Nov 23`. @param day a date in UTC, such as `2026-11-23` */
export const formatDay = (day: string): string => short.format(new Date(day))

/** `Nov 23` for a day, `10:00` in the time zone of the browser for an hour. @param day of an entry */
export const formatEntry = (day: string): string => (day.includes('T') ? ofHour.format(new Date(day)) : formatDay(day))

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
): History<Name> {
  const before = all.length < 2 * days ? [] : all.slice(-2 * days, -days)
  return { unit: 'day', entries: all.slice(-days), before: before.map((day) => totalOf(day, names)) }
}

/** The hours of a history, and the total of the same hour a week before each one, unless nothing was counted then. */
export const withWeekBefore = <Name extends string>(hours: readonly HourCounts<Name>[]): History<Name> => ({
  unit: 'hour',
  entries: hours,
  before: hours.some(({ weekBefore }) => weekBefore > 0) ? hours.map(({ weekBefore }) => weekBefore) : [],
})

/** All counts of a day. */
const totalOf = <Name extends string>(day: DayCounts<Name>, names: readonly Name[]): number =>
  names.reduce((sum, name) => sum + day[name], 0)

/** What a chart shows: the sum of all entries, and a sentence for screen readers about the one with the most. */
export function describeDays<Name extends string>(
  entries: readonly DayCounts<Name>[],
  names: readonly Name[],
): { readonly total: number; readonly most: string } {
  const totals = entries.map((entry) => ({ day: entry.day, count: totalOf(entry, names) }))
  const total = totals.reduce((sum, { count }) => sum + count, 0)
  const busiest = totals.reduce((most, next) => (next.count >= most.count ? next : most), { day: '', count: 0 })
  const when = `${busiest.day.includes('T') ? 'at' : 'on'} ${formatEntry(busiest.day)}`
  return { total, most: total === 0 ? '' : `most ${when}: ${formatCount(busiest.count)}` }
}
