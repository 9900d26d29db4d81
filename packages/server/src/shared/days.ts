/** Days in UTC, as numbers since 1970-01-01: the days of the tables with counts by day. */

export const dayMs = 86_400_000

/** @param ms since the epoch */
export const dayOf = (ms: number): number => Math.floor(ms / dayMs)

export const hourMs = 3_600_000

/** Number of the hour since 1970-01-01T00:00Z. @param ms since the epoch */
export const hourOf = (ms: number): number => Math.floor(ms / hourMs)

/** `2026-11-23`, as in RFC 3339. */
export const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 'yyyy-mm-dd'.length)

/** Whether a text is a date that exists. `Date.parse` reads 31 February as 3 March. */
export function isDate(text: string): boolean {
  const ms = Date.parse(text)
  return !Number.isNaN(ms) && dateOf(dayOf(ms)) === text
}

/** The days of a history. */
export interface DayRange {
  readonly first: number
  readonly last: number
}

/** The last days until today, today included. @param now in milliseconds since the epoch */
export const lastDays = (count: number, now = Date.now()): DayRange => {
  const last = dayOf(now)
  return { first: last - count + 1, last }
}

/**
 * One entry for each day, the oldest first.
 * @param rows of days with counts, in any order
 * @param none the counts of the other days
 */
export function everyDay<T extends object>(
  { first, last }: DayRange,
  rows: readonly (T & { readonly day: number })[],
  none: T,
): (T & { readonly day: string })[] {
  const byDay = new Map(rows.map((row) => [row.day, row]))
  return Array.from({ length: last - first + 1 }, (_, index) => ({
    ...none,
    ...byDay.get(first + index),
    day: dateOf(first + index),
  }))
}
