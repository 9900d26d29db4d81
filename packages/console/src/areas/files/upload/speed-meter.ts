const windowMs = 20_000

/** Measures how fast a line sends, over the last 20 seconds. Times are in milliseconds. */
export class SpeedMeter {
  #since = 0
  #samples: { readonly at: number; readonly bytes: number }[] = []

  /** Begins anew, after a pause or a lost connection. */
  start(now: number): void {
    this.#since = now
    this.#samples = []
  }

  add(bytes: number, now: number): void {
    this.#samples = [...this.#samples.filter(({ at }) => at > now - windowMs), { at: now, bytes }]
  }

  /** Bytes per second; undefined before the first part has arrived. */
  at(now: number): number | undefined {
    const from = Math.max(this.#since, now - windowMs)
    const bytes = this.#samples.filter(({ at }) => at > from).reduce((sum, sample) => sum + sample.bytes, 0)
    return bytes === 0 || now <= from ? undefined : (bytes * 1000) / (now - from)
  }
}
