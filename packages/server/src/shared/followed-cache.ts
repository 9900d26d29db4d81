import { LRUCache } from 'lru-cache'
import type { Job } from './job.js'

/** The interval in which changes of other processes take effect here. While the database fails, the job runner makes it longer. */
const everyMs = 250

interface FollowedCacheOptions<K extends NonNullable<unknown>, V extends NonNullable<unknown>> {
  /** Name and failure message of the job that follows the changes. */
  readonly job: Pick<Job, 'name' | 'failureMessage'>
  /** Reads how many changes have been committed (`db/change-clock-store.ts`). */
  readonly countChanges: () => Promise<number>
  readonly limits: LRUCache.Options<K, V, unknown>
}

/**
 * Keeps results of look-ups in memory until any of the rows that they depend on changes. All results are dropped together: changes
 * are rare, and a new look-up is cheap.
 */
export class FollowedCache<K extends NonNullable<unknown>, V extends NonNullable<unknown>> {
  readonly #entries: LRUCache<K, V>
  readonly #loading = new Map<K, Promise<V | undefined>>()
  #changes: number | undefined
  #clearings = 0
  readonly #countChanges: () => Promise<number>
  /** Clears the cache after changes of other processes. */
  readonly job: Job

  constructor({ job, countChanges, limits }: FollowedCacheOptions<K, V>) {
    this.#entries = new LRUCache(limits)
    this.#countChanges = countChanges
    this.job = { ...job, everyMs, runsIn: 'every process', run: () => this.#follow() }
  }

  /** @returns undefined for a key that is not in memory */
  get(key: K): V | undefined {
    return this.#entries.get(key)
  }

  /**
   * Looks up a value, and keeps it unless a change has been noticed in the meantime: it may be from before the change. Calls for
   * one key share one look-up.
   * @returns the value; undefined, which is not kept, if the look-up finds nothing
   */
  async load(key: K, lookUp: () => Promise<V | undefined>): Promise<V | undefined> {
    const known = this.#entries.get(key)
    if (known !== undefined) return known
    const running = this.#loading.get(key)
    if (running) return running
    const loading = this.#lookUp(key, lookUp).finally(() => {
      if (this.#loading.get(key) === loading) this.#loading.delete(key)
    })
    this.#loading.set(key, loading)
    return loading
  }

  /** Drops all entries. Called after each change that this process has committed, so that the next look-up sees it. */
  clear(): void {
    this.#clearings++
    this.#entries.clear()
    this.#loading.clear()
  }

  async #lookUp(key: K, lookUp: () => Promise<V | undefined>): Promise<V | undefined> {
    const clearings = this.#clearings
    const value = await lookUp()
    if (value !== undefined && clearings === this.#clearings) this.#entries.set(key, value)
    return value
  }

  async #follow(): Promise<void> {
    const changes = await this.#countChanges()
    if (changes === this.#changes) return
    // Also at the first run: entries may be older than the first count.
    this.clear()
    this.#changes = changes
  }
}
