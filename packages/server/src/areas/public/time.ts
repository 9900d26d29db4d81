import type { Areas, Output } from '@svc/contract'
import { RawJson } from '../../http/answer.js'

type PublicArea = Areas['public']

/** One moment in every form of `GET /v1/public/time`. @param unixMs milliseconds since the epoch */
export function timeOf(unixMs: number): Output<PublicArea['time']> {
  const date = new Date(unixMs)
  const iso8601 = date.toISOString()
  return {
    iso8601,
    // ECMA-262 fixes the form of toUTCString, `Fri, 20 Nov 2026 09:30:00 GMT`; RFC 2822 (4.3) calls the name GMT obsolete.
    rfc2822: `${date.toUTCString().slice(0, -'GMT'.length)}+0000`,
    ...timestampOf(unixMs),
    timezone: 'UTC',
    date: iso8601.slice(0, 'YYYY-MM-DD'.length),
    time: iso8601.slice('YYYY-MM-DDT'.length, 'YYYY-MM-DDTHH:MM:SS'.length),
  }
}

/** The current time, written as JSON once a millisecond, because many requests share it under load. */
export function clock(): () => RawJson {
  let last = NaN
  let json = new RawJson('')
  return () => {
    const now = Date.now()
    if (now !== last) {
      last = now
      json = new RawJson(JSON.stringify(timeOf(now)))
    }
    return json
  }
}

/** Whole seconds, and milliseconds, since the epoch. @param unixMs milliseconds since the epoch */
export const timestampOf = (unixMs: number): Output<PublicArea['timestamp']> => ({
  unix: Math.floor(unixMs / 1000),
  unix_ms: unixMs,
})
