import { LRUCache } from 'lru-cache'
import { batchedCalls, fulfilled } from '../shared/batched-calls.js'
import type { Database } from './port.js'

/** At this number of keys, all are forgotten. */
const cachedMax = 10_000

/** How long an unknown key stays unknown on PostgreSQL, in milliseconds. */
const missingMs = 1_000

/** The largest number of keys that are looked up in one query. */
const batchMax = 200

/**
 * Looks up rows that may change at any time, such as keys that are revoked, so that a change takes effect at the next call in every
 * process. On SQLite, results are kept until any process commits. On PostgreSQL, each call reads the database, and calls that arrive during a
 * query share the next one; keys that were not found are kept for a second, because unauthenticated clients can ask for them.
 * @param find returns the values of the keys that exist
 */
export function commitCache<K extends string | number, V extends NonNullable<unknown>>(
  db: Pick<Database, 'commitNumber'>,
  find: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>,
): (key: K) => Promise<V | undefined> {
  const cached = new Map<K, V | undefined>()
  let cachedCommit: number | undefined
  const missing = new LRUCache<K, true>({ max: cachedMax, ttl: missingMs })
  const lookUp = batchedCalls(async (keys: readonly K[]) => {
    const found = await find([...new Set(keys)])
    return keys.map((key) => fulfilled(found.get(key)))
  }, batchMax)

  return async (key) => {
    const commit = db.commitNumber()
    if (commit === undefined) {
      if (missing.has(key)) return undefined
      const value = await lookUp(key)
      if (value === undefined) missing.set(key, true)
      return value
    }
    if (commit !== cachedCommit || cached.size >= cachedMax) cached.clear()
    cachedCommit = commit
    if (cached.has(key)) return cached.get(key)
    const value = await lookUp(key)
    // Only if no call has seen a later commit in the meantime: that commit may have changed the row.
    if (commit === cachedCommit) cached.set(key, value)
    return value
  }
}
