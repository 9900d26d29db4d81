import { ContentError } from '../../http/answer.js'
import type { EndpointRequest } from '../../http/area.js'
import { networkOf } from '../../network-of.js'

/** Bodies up to this length are not limited: on all connections together they need 32 MiB. */
const smallMaxBytes = 16_384

/** The most requests with larger bodies in memory, in a process and from one network: 32 and 4 MiB. */
export const largeAtOnce = { total: 128, network: 16 } as const

/**
 * Limits the memory that the bodies of requests without authentication need, while they are received and stored.
 * @returns a function that runs the work of a request. @throws ContentError 503
 */
export function largeBodies(): <R>(
  request: Pick<EndpointRequest, 'header' | 'ip'>,
  work: () => Promise<R>,
) => Promise<R> {
  const counts = new Map<string, number>()
  let total = 0
  return async ({ header, ip }, work) => {
    const isSmall = header('transfer-encoding') === undefined && Number(header('content-length') ?? 0) <= smallMaxBytes
    if (isSmall) return work()
    const network = networkOf(ip)
    const count = counts.get(network) ?? 0
    if (total >= largeAtOnce.total || count >= largeAtOnce.network)
      throw new ContentError(503, 'Too many large requests at a time. Try again in a second.', { 'retry-after': '1' })
    total += 1
    counts.set(network, count + 1)
    try {
      return await work()
    } finally {
      total -= 1
      const left = (counts.get(network) ?? 1) - 1
      if (left === 0) counts.delete(network)
      else counts.set(network, left)
    }
  }
}
