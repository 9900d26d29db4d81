/** Numbers, sizes and times in the words of the browser's language. */

const number = new Intl.NumberFormat()

export const formatCount = (count: number): string => number.format(count)

/** `1 file`, `2 files`. @param plural for irregular ones; with an s by default */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${formatCount(count)} ${count === 1 ? noun : plural}`

const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** `512 bytes`, `1.5 MB`: powers of 1000, as in the server's messages and on the packages of disks. */
export function formatBytes(bytes: number): string {
  if (bytes === 1) return '1 byte'
  let [value, unit] = [bytes, 0]
  // What would be rounded to 1000 is 1 of the next unit.
  for (; value >= 999.5 && unit < units.length - 1; unit++) value /= 1000
  const digits = unit === 0 || value >= 100 ? 0 : 1
  return `${value.toLocaleString(undefined, { maximumFractionDigits: digits })} ${units[unit] ?? ''}`
}

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })

/** `2 hours ago`, `in 3 days`, `now`. @param at RFC 3339 @param now in milliseconds since the epoch */
export function formatRelative(at: string, now = Date.now()): string {
  const seconds = Math.round((Date.parse(at) - now) / 1000)
  const [unit, length] = steps.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1]
  return unit === 'second' ? relative.format(0, 'second') : relative.format(Math.trunc(seconds / length), unit)
}

const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/** In the time zone of the browser. @param at RFC 3339 */
export const formatTime = (at: string): string => dateTime.format(new Date(at))
export const formatDate = (at: string): string => date.format(new Date(at))
