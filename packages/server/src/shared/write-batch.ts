/** One value for each key, such as a row's id. */
export type Batch<V, K = number> = readonly (readonly [key: K, value: V])[]

/**
 * Collects values in memory and writes all of them in one call, such as counters that change with each request. A crash loses
 * the values since the last flush.
 */
export class WriteBatch<V, K = number> {
  #values = new Map<K, V>()

  /**
   * @param write writes all values in one unit of work
   * @param merge combines two values of one key
   */
  constructor(
    private readonly write: (batch: Batch<V, K>) => Promise<void>,
    private readonly merge: (earlier: V, later: V) => V,
  ) {}

  /** How many keys the next flush writes. */
  get size(): number {
    return this.#values.size
  }

  /** Whether the next flush writes a value for this key. */
  has(key: K): boolean {
    return this.#values.has(key)
  }

  add(key: K, value: V): void {
    const earlier = this.#values.get(key)
    this.#values.set(key, earlier === undefined ? value : this.merge(earlier, value))
  }

  /**
   * Writes what was collected; without values it writes nothing.
   * @throws the error of `write`. The values are kept for the next flush.
   */
  async flush(): Promise<void> {
    const values = this.#values
    if (values.size === 0) return
    this.#values = new Map()
    try {
      await this.write([...values])
    } catch (error) {
      const newer = this.#values
      this.#values = values
      for (const [key, value] of newer) this.add(key, value)
      throw error
    }
  }
}
