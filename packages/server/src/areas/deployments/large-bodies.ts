import { ContentError } from '../../http/answer.js'
import { networkOf } from '../../network-of.js'

/** Bodies up to this length are not limited: on all connections together they need 32 MiB. */
const smallMaxBytes = 16_384

/** The most requests with larger bodies in memory, in a process and from one network: 32 and 4 MiB. */
export const largeAtOnce = { total: 128, network: 16 } as const

/**
 * Limits the memory that the bodies of requests without authentication need, while they are received and stored. A request counts
 * from the moment that more than 16 KiB have arrived: clients that announce a large body and send nothing do not shut out others.
 * @returns a function that runs the work of a request. The work calls `onLength` with the number of bytes that have arrived, which
 * throws ContentError 503 beyond the limits.
 */
export function largeBodies(): <R>(ip: string, work: (onLength: (bytes: number) => void) => Promise<R>) => Promise<R> {
  const counts = new Map<string, number>()
  let total = 0

  function enter(network: string): void {
    const count = counts.get(network) ?? 0
    if (total >= largeAtOnce.total || count >= largeAtOnce.network)
      throw new ContentError(503, 'Too many large requests at a time. Try again in a second.', { 'retry-after': '1' })
    total += 1
    counts.set(network, count + 1)
  }

  function leave(network: string): void {
    total -= 1
    const left = (counts.get(network) ?? 1) - 1
    if (left === 0) counts.delete(network)
    else counts.set(network, left)
  }

  return async (ip, work) => {
    const network = networkOf(ip)
    const place = { isTaken: false }
    try {
      return await work((bytes) => {
        if (place.isTaken || bytes <= smallMaxBytes) return
        enter(network)
        place.isTaken = true
      })
    } finally {
      if (place.isTaken) leave(network)
    }
  }
}
