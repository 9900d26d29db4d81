import { LRUCache } from 'lru-cache'

/** How many updates that change something a token may send at once, and in an hour. */
export const updatesMax = 60

const hourMs = 3_600_000

/** How many tokens are counted; beyond them, the least recently used are forgotten. */
const tokensMax = 10_000

interface Bucket {
  /** How many updates are left. */
  readonly left: number
  readonly at: number
}

/**
 * Limits the updates of each token that change something, as a token bucket. Each process counts for itself.
 * @returns a function that counts an update. It returns false for one that is too many
 */
export function updateLimit(now: () => number = () => performance.now()): (tokenId: number) => boolean {
  const buckets = new LRUCache<number, Bucket>({ max: tokensMax })
  return (tokenId) => {
    const at = now()
    const before = buckets.get(tokenId) ?? { left: updatesMax, at }
    const left = Math.min(updatesMax, before.left + ((at - before.at) * updatesMax) / hourMs)
    const isAllowed = left >= 1
    buckets.set(tokenId, { left: isAllowed ? left - 1 : left, at })
    return isAllowed
  }
}
