/** A time in UTC with milliseconds (RFC 3339): `2026-11-20T09:30:00.000Z`. @param ms since the epoch */
export const timestamp = (ms: number): string => new Date(ms).toISOString()
