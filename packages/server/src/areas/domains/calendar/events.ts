import { hash } from 'node:crypto'
import { foldLines, ICalAlarmType, ICalCalendar, ICalEvent, ICalEventTransparency } from 'ical-generator'
import type { CalendarDomain } from './calendar-store.js'

const daySeconds = 24 * 60 * 60

/** Days before the expiry on which calendar programs remind the user. */
const alarmDays = [30, 7, 1]

/** SEQUENCE counts seconds since this time, because it has 31 bits. */
const sequenceEpoch = Date.UTC(2026, 0, 1)

/** The longest line in bytes, without its end (RFC 5545, section 3.1). */
const lineBytes = 75

const calendar = new ICalCalendar({
  prodId: { company: 'svc', product: 'domains', language: 'EN' },
  name: 'Domain expiry',
  // How often programs ask again (RFC 7986, section 5.7).
  ttl: daySeconds / 2,
})

const [start = '', end = ''] = calendar.toString().split(/(?=END:VCALENDAR)/)

/** The text of a calendar before and after its events. */
export const calendarStart = start
export const calendarEnd = `${end}\r\n`

/** The event of a domain: an all-day event on the day of its expiry in UTC (RFC 5545, section 3.6.1). */
export function eventOf(accountId: number, { name, note, registrar, ...expiry }: CalendarDomain): string {
  const event = new ICalEvent(
    {
      id: uidOf(accountId, name),
      // Grows with each change (RFC 5545, section 3.8.7.4), also if the domain is removed and added again.
      sequence: Math.max(0, Math.floor((expiry.changed_at - sequenceEpoch) / 1_000)),
      stamp: new Date(expiry.changed_at),
      start: new Date(expiry.expires_at),
      allDay: true,
      summary: `${name} expires`,
      description: [`Registrar: ${registrar ?? 'unknown'}`, ...(note === '' ? [] : [`Note: ${note}`])].join('\n'),
      transparency: ICalEventTransparency.TRANSPARENT,
      alarms: alarmDays.map((days) => ({
        type: ICalAlarmType.display,
        trigger: days * daySeconds,
        description: `${name} expires ${days === 1 ? 'tomorrow' : `in ${String(days)} days`}`,
      })),
    },
    calendar,
  )
  return fold(event.toString())
}

/** A stable event id: it survives removing and re-adding the domain, and differs between accounts. */
const uidOf = (accountId: number, name: string): string => hash('sha256', `${String(accountId)} ${name}`).slice(0, 32)

/** Folds only the long lines: the library needs 0.4 ms for the text of an event. */
const fold = (text: string): string =>
  text
    .split('\r\n')
    .map((line) => (Buffer.byteLength(line) > lineBytes ? foldLines(line) : line))
    .join('\r\n')
