/** Expiry dates as words, levels and months. */

const dayMs = 86_400_000

/** A domain that expires within this many days needs attention. */
export const attentionDays = 60
const urgentDays = 14

/** How many months the timeline has, the current one included. */
export const timelineMonths = 24

export type ExpiryLevel = 'expired' | 'urgent' | 'soon' | 'later' | 'unknown'

/** How soon a registration ends. @param at RFC 3339; null if unknown @param now in milliseconds since the epoch */
export function expiryLevel(at: string | null, now = Date.now()): ExpiryLevel {
  if (at === null) return 'unknown'
  const days = (Date.parse(at) - now) / dayMs
  if (days <= 0) return 'expired'
  if (days <= urgentDays) return 'urgent'
  return days <= attentionDays ? 'soon' : 'later'
}

/** Whether a registration has ended, or ends within `attentionDays`. */
export const needsAttention = (at: string | null, now = Date.now()): boolean =>
  ['expired', 'urgent', 'soon'].includes(expiryLevel(at, now))

const relative = new Intl.RelativeTimeFormat()

/** The number of the day in the time zone of the browser. */
function dayNumber(at: number): number {
  const local = new Date(at)
  return Date.UTC(local.getFullYear(), local.getMonth(), local.getDate()) / dayMs
}

/** `in 45 days`, `expired 3 days ago`: in days up to three months, so that they can be compared. */
export function expiryText(at: string | null, now = Date.now()): string {
  if (at === null) return 'unknown'
  const expiry = Date.parse(at)
  const days = dayNumber(expiry) - dayNumber(now)
  const distance = distanceText(days)
  return expiry <= now ? `expired ${distance}` : distance
}

function distanceText(days: number): string {
  const length = Math.abs(days)
  if (length === 0) return 'today'
  if (length < 91) return relative.format(days, 'day')
  if (length < 730) return relative.format(Math.trunc(days / 30.44), 'month')
  return relative.format(Math.trunc(days / 365.25), 'year')
}

/** A part of the timeline: `2027-08` for a month, or what lies outside of the months. */
export type Period = string

export const outsidePeriods = ['expired', 'after', 'unknown'] as const

/** The period of a month, in the time zone of the browser: `2027-08`. */
export const periodOfMonth = (at: Date): Period =>
  `${String(at.getFullYear())}-${String(at.getMonth() + 1).padStart(2, '0')}`

/** The months of the timeline, from the current one on. */
export function timelineOf(now = Date.now()): Date[] {
  const start = new Date(now)
  return Array.from(
    { length: timelineMonths },
    (_, index) => new Date(start.getFullYear(), start.getMonth() + index, 1),
  )
}

/** The part of the timeline in which a registration ends. */
export function periodOf(at: string | null, now = Date.now()): Period {
  if (at === null) return 'unknown'
  const expiry = new Date(at)
  if (expiry.getTime() <= now) return 'expired'
  const end = new Date(new Date(now).getFullYear(), new Date(now).getMonth() + timelineMonths, 1)
  return expiry < end ? periodOfMonth(expiry) : 'after'
}
