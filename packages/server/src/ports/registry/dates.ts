const hour = 60 * 60 * 1000

/** Offsets of the time zones that registries name, in hours. */
const zones: Readonly<Record<string, number>> = {
  UTC: 0,
  GMT: 0,
  Z: 0,
  WET: 0,
  CET: 1,
  CEST: 2,
  EET: 2,
  EEST: 3,
  MSK: 3,
  JST: 9,
  KST: 9,
  BRT: -3,
  CLT: -4,
  CLST: -3,
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** The longest text that is looked at. */
const textMax = 100

/** Dates at the start of a text. Each is matched once, at one position, with bounded repetitions. */
const forms: readonly RegExp[] = [
  // 2026-11-20, 2026/11/20, 2026.11.20, 2026. 11. 20.
  /^(?<y>\d{4})[-/.] ?(?<m>\d{1,2})[-/.] ?(?<d>\d{1,2})\.?(?!\d)/,
  // 2026-Nov-20
  /^(?<y>\d{4})-(?<month>[a-z]{3})[a-z]{0,6}-(?<d>\d{1,2})(?!\d)/i,
  // 20-Nov-2026, 20 November 2026, 20th November 2026
  /^(?<d>\d{1,2})(?:st|nd|rd|th)?[-\s](?<month>[a-z]{3})[a-z]{0,6}[-\s](?<y>\d{4})(?!\d)/i,
  // 20.11.2026, 20/11/2026, 20-11-2026: no registry writes the month first
  /^(?<d>\d{1,2})[-/.] ?(?<m>\d{1,2})[-/.] ?(?<y>\d{4})(?!\d)/,
  // 20261120, 20261120103000
  /^(?<y>\d{4})(?<m>\d{2})(?<d>\d{2})(?=\D|$|\d{6}(?!\d))/,
  // Fri Nov 20 2026
  /^(?:[a-z]{3},? )?(?<month>[a-z]{3})[a-z]{0,6} +(?<d>\d{1,2}),? (?<y>\d{4})(?!\d)/i,
  // Fri Nov 20 10:30:00 UTC 2026: the time and its zone follow the month
  /^(?:[a-z]{3},? )(?<month>[a-z]{3}) +(?<d>\d{1,2}) (?<time>\d{1,2}:\d{2}:\d{2})(?: (?<zone>[a-z]{1,4}))? (?<y>\d{4})(?!\d)/i,
  // before Aug-1996
  /^before (?<month>[a-z]{3})-(?<y>\d{4})(?!\d)/i,
]

/** A time of day after a date, with an optional zone: an offset or a name, which may be in brackets. */
const timeAfter =
  /^(?: at |[T ]{0,2})(?<h>\d{1,2}):?(?<min>\d{2}):?(?<s>\d{2})?(?:\.\d{1,9})? {0,2}\(?(?<zone>[+-]\d{2}:?(?:\d{2})?|[a-z]{1,4})?/i

/**
 * Reads a date in the forms that registries use; text after it is ignored. Without a time of day, it is the start of the day. Without a
 * zone, it is UTC.
 * @returns milliseconds since the epoch; undefined if the text does not begin with a date
 */
export function parseRegistryDate(given: string, zone = 'UTC'): number | undefined {
  const text = given.slice(0, textMax).trim()
  for (const form of forms) {
    const match = form.exec(text)
    if (match?.groups === undefined) continue
    const { y, m, month, d = '1', time, zone: named } = match.groups
    const monthIndex = month === undefined ? Number(m) - 1 : months.indexOf(month.toLowerCase())
    const day = utcDay(Number(y), monthIndex, Number(d))
    if (day === undefined) continue
    const rest = time === undefined ? text.slice(match[0].length) : `T${time} ${named ?? ''}`
    return day + timeOf(rest, zone)
  }
  return undefined
}

/** @returns undefined for a day that does not exist */
function utcDay(year: number, month: number, day: number): number | undefined {
  const time = Date.UTC(year, month, day)
  const date = new Date(time)
  return year >= 1980 && year < 2200 && date.getUTCMonth() === month && date.getUTCDate() === day ? time : undefined
}

/** Milliseconds from the start of the day in UTC; negative for an early time in a zone ahead of UTC. */
function timeOf(text: string, defaultZone: string): number {
  const { h, min, s, zone } = timeAfter.exec(text)?.groups ?? {}
  // A date without a time stays the same day in every zone.
  if (h === undefined || Number(h) > 23 || Number(min) > 59) return 0
  const ms = Number(h) * hour + Number(min) * (hour / 60) + Number(s ?? 0) * 1000
  return ms - offsetOf(zone ?? defaultZone) * hour
}

function offsetOf(zone: string): number {
  const [, sign, hours, minutes = '0'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? []
  if (hours === undefined) return zones[zone.toUpperCase()] ?? 0
  return (sign === '-' ? -1 : 1) * (Number(hours) + Number(minutes) / 60)
}
