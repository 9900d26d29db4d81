import { isbot } from 'isbot'
import { LRUCache } from 'lru-cache'

/** Longer than those of browsers. The pattern of the library is not linear. */
const readMax = 512

const known = new LRUCache<string, boolean>({ max: 1_000 })

/** Whether a User-Agent is not that of a crawler, a link preview or a monitor. A missing one counts as a person. */
export function isPerson(userAgent: string | undefined): boolean {
  if (userAgent === undefined) return true
  const read = userAgent.length > readMax ? userAgent.slice(0, readMax) : userAgent
  let result = known.get(read)
  if (result === undefined) {
    result = !isbot(read)
    known.set(read, result)
  }
  return result
}
