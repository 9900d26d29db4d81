type Listener = () => void

/** Says that there is work, so that a job need not wait for its interval. Calls that come together are one. */
export class Wakeup {
  readonly #listeners = new Set<Listener>()

  readonly call = (): void => {
    for (const listener of this.#listeners) listener()
  }

  /** @returns a function that ends this */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
