/** RFC 3339 in UTC with milliseconds. @param ms since the epoch */
export const timestamp = (ms: number): string => new Date(ms).toISOString()
