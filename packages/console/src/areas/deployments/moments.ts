/** Times of deliveries: they are seconds to hours away, and often of today. */

/** `40 s`, `1 min 40 s`, `2 h 59 min`; `0 s` for a time that has passed. @param ms until it */
export function formatWait(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  if (seconds < 60) return `${String(seconds)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${String(minutes)} min ${String(seconds % 60)} s`
  return `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`
}

const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const toTheSecond = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** The time of today, or the day. @param at RFC 3339 */
export function formatSince(at: string, now = new Date()): string {
  const since = new Date(at)
  return since.toDateString() === now.toDateString() ? time.format(since) : day.format(since)
}

/** With seconds: the first attempts follow each other within a minute. @param at RFC 3339 */
export const formatMoment = (at: string): string => toTheSecond.format(new Date(at))

/** `184 ms`, `10.0 s` */
export const formatDuration = (ms: number): string => (ms < 1000 ? `${String(ms)} ms` : `${(ms / 1000).toFixed(1)} s`)
