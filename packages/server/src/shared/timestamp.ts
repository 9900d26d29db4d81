import { isDate } from './days.js'

const dayMs = 86_400_000

const padded = (count: number, digits: number): readonly string[] =>
  Array.from({ length: count }, (_, number) => String(number).padStart(digits, '0'))

const [twoDigits, threeDigits] = [padded(60, 2), padded(1_000, 3)]

/** The day of the last call, and its date. `toISOString` takes three times as long, and neighbours in a list are mostly of one day. */
let [day, date] = [NaN, '']

/** A time in UTC with milliseconds (RFC 3339): `2026-11-20T09:30:00.000Z`. @param ms since the epoch, a whole number */
export function timestamp(ms: number): string {
  const dayOfMs = Math.floor(ms / dayMs)
  if (dayOfMs !== day) {
    date = new Date(ms).toISOString().slice(0, -'00:00:00.000Z'.length)
    day = dayOfMs
  }
  const inDay = ms - dayOfMs * dayMs
  const seconds = (inDay / 1_000) | 0
  const minutes = (seconds / 60) | 0
  const hours = (minutes / 60) | 0
  return `${date}${twoDigits[hours]}:${twoDigits[minutes - 60 * hours]}:${twoDigits[seconds - 60 * minutes]}.${threeDigits[inDay - 1_000 * seconds]}Z`
}

/** In milliseconds since the epoch: the last day that RFC 3339 can write in every time zone. */
export const timeMax = Date.UTC(9999, 11, 31)

const timeForm = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:\d\d)$/

/** Parses a time in RFC 3339, section 5.6, with or without seconds. @returns milliseconds since the epoch; undefined for another text */
export function parseTime(text: string): number | undefined {
  const time = timeForm.test(text) ? Date.parse(text.toUpperCase().replace(' ', 'T')) : Number.NaN
  const isTime = time >= 0 && time <= timeMax
  return !isTime || !isDate(text.slice(0, 'yyyy-mm-dd'.length)) ? undefined : time
}
