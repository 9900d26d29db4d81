import { LRUCache } from 'lru-cache'
import { ContentError } from '../../http/answer.js'
import { networkOf } from '../../shared/network-of.js'

const windowMs = 60_000

/** How many counts are kept; beyond them, the least recently used are dropped. */
const countsMax = 50_000

/**
 * Limits the requests to each deployment from each network. Each process counts for itself.
 * @param max requests to one deployment from one network in a minute
 * @param what the requests are, in the plural
 * @returns a function that counts a request. @throws ContentError 429
 */
export function networkLimit(max: number, what: string): (deploymentId: number, ip: string) => void {
  // Created for the first request: the cache reserves memory for all counts, which took a twentieth of the time of a start.
  let counts: LRUCache<string, { requests: number }> | undefined
  return (deploymentId, ip) => {
    counts ??= new LRUCache({ max: countsMax, ttl: windowMs })
    const key = `${String(deploymentId)} ${networkOf(ip)}`
    const count = counts.get(key)
    if (!count) counts.set(key, { requests: 1 })
    else if (count.requests < max) count.requests++
    else {
      const seconds = String(Math.ceil(counts.getRemainingTTL(key) / 1000))
      throw new ContentError(429, `Too many ${what} from your network. Try again in ${seconds} seconds.`, {
        'retry-after': seconds,
      })
    }
  }
}
