import { hash } from 'node:crypto'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** The refreshes are spread over the hours from 00:00 to 06:00 UTC. */
const nightMinutes = 6 * 60

/** A domain that has been refreshed in the day is not asked again in the following hours. */
const shortestGapMs = 12 * hourMs

/** The minute of the night in which a domain is refreshed: the same one every night. */
const minuteOf = (name: string): number => hash('sha256', name, 'buffer').readUInt32BE(0) % nightMinutes

/**
 * When a domain is refreshed next after a success.
 * @param now milliseconds since the epoch
 */
export function nextNight(name: string, now: number): number {
  const earliest = now + shortestGapMs
  const today = earliest - (earliest % dayMs) + minuteOf(name) * minuteMs
  return today >= earliest ? today : today + dayMs
}

/** When a refresh is repeated that has failed: after an hour, then twice as long each time, at most a day. */
export const nextAttempt = (failures: number, now: number): number =>
  now + Math.min(hourMs * 2 ** Math.min(failures, 10), dayMs)

/** No refresh is scheduled later than this: a time beyond it was set while the clock was wrong, and counts as due. */
export const latestDueAt = (now: number): number => now + 2 * dayMs
