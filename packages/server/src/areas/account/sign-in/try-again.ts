import { ApiError } from '@svc/contract/errors'

/** 401 with Retry-After. Not 429: the specification's table of errors is closed (section 7). */
export const tryAgain = (why: string, seconds: number) =>
  new ApiError('unauthorized', `${why}: try again in ${seconds} s.`, {}, { 'retry-after': String(seconds) })
