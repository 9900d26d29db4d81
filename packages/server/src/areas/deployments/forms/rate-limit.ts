import { LRUCache } from 'lru-cache'
import { ContentError } from '../../../http/answer.js'
import { networkOf } from '../../../network-of.js'

/** Submissions of one form from one network in one window. */
const submissionsMax = 10
const windowMs = 60_000

/** How many counts are kept; beyond them, the least recently used are dropped. */
const countsMax = 50_000

/**
 * Limits the submissions of each form from each network. Each process counts for itself.
 * @returns a function that counts a submission. @throws ContentError 429
 */
export function submissionLimit(): (formId: number, ip: string) => void {
  const counts = new LRUCache<string, { submissions: number }>({ max: countsMax, ttl: windowMs })
  return (formId, ip) => {
    const key = `${String(formId)} ${networkOf(ip)}`
    const count = counts.get(key)
    if (!count) counts.set(key, { submissions: 1 })
    else if (count.submissions < submissionsMax) count.submissions++
    else {
      const seconds = String(Math.ceil(counts.getRemainingTTL(key) / 1000))
      throw new ContentError(429, `Too many submissions from your network. Try again in ${seconds} seconds.`, {
        'retry-after': seconds,
      })
    }
  }
}
