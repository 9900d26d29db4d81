import { NoAnswerError, SvcError } from '@svc/client'

/** What a failed request means: `lost` is repeated until the network is back; `busy`, and `lost` while the server can be reached, a limited number of times. */
export type Verdict = 'lost' | 'busy' | 'expired' | 'refused'

/** Statuses of proxies that cannot reach the server, which may be restarting. */
const isOfProxy = (status: number | undefined): boolean => status !== undefined && status >= 502 && status <= 504

export function verdictOf(error: unknown): Verdict {
  if (error instanceof SvcError) {
    if (error.code === 'not_found') return 'expired'
    return error.status >= 500 || error.status === 429 ? 'busy' : 'refused'
  }
  if (error instanceof NoAnswerError)
    return error.reason === 'network' || error.reason === 'timeout' || isOfProxy(error.status) ? 'lost' : 'refused'
  // The signal of a request that took too long.
  return error instanceof DOMException && error.name === 'TimeoutError' ? 'lost' : 'refused'
}

/** Whether the user may succeed by sending the same file again. A refusal of the file repeats; an answer that is missing or not from svc may not. */
export const canRetry = (error: unknown): boolean => error instanceof NoAnswerError || verdictOf(error) !== 'refused'
