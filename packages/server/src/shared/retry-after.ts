/**
 * Reads the header Retry-After (RFC 9110, section 10.2.3).
 * @param now milliseconds since the epoch
 * @returns the wait in milliseconds, without an upper limit; undefined for a missing or malformed header
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000
  const at = Date.parse(header.endsWith(' GMT') ? header : '')
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
