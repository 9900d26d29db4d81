/** Times that devices report. Their clocks may be wrong, such as after the battery was empty. */

const earliest = Date.UTC(2000, 0, 1)

/** How far ahead of the server's clock a device may be. */
const aheadMaxMs = 86_400_000

/** @returns the time; undefined before 2000, and more than a day ahead */
function plausible(ms: number, now: number): number | undefined {
  return ms >= earliest && ms <= now + aheadMaxMs ? ms : undefined
}

/** @param text milliseconds since the epoch @returns undefined for any other text and an implausible time */
export const epochTime = (text: string | undefined, now: number): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? plausible(Number(text), now) : undefined

/** Whether a text is a time in milliseconds since the epoch, also an implausible one. Apps send 0 for an unknown time. */
export const isStamp = (text: string | undefined): boolean => text !== undefined && /^[1-9]\d{0,14}$/.test(text)

const isoPattern = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d{1,9})?) ?(Z|[+-]\d\d:?\d\d)$/

/**
 * @param text a date with time and offset (ISO 8601): `2026-11-20T09:30:00.000+01:00`
 * @returns undefined for any other text, for one without an offset, and an implausible time
 */
export function isoTime(text: string | undefined, now: number): number | undefined {
  const [, date = '', time = '', offset = ''] = isoPattern.exec(text ?? '') ?? []
  return plausible(Date.parse(`${date}T${time}${offset.replace(/(\d\d)(\d\d)$/, '$1:$2')}`), now)
}

const datePattern = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d/

/** Whether a text begins with a date and a time to the second. */
export const isDateAndTime = (text: string): boolean => datePattern.test(text)
