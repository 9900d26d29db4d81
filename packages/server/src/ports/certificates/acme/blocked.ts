import type { NamesKey } from './certificate-store.js'

/** Why the CA was not asked: a name does not lead to this server. The message is a sentence for the operator. */
export class NotHere extends Error {
  override readonly name = 'NotHere'
}

/** A look-up for each of these names follows each change, so they are few. */
const atOnceMax = 10

const namesMax = 10_000

/** The certificates of this process that are not ordered because a name does not lead here. A change, such as a new zone, may help. */
export class Blocked {
  readonly #keys = new Set<NamesKey>()

  add(key: NamesKey): void {
    if (this.#keys.size < namesMax) this.#keys.add(key)
  }

  /** Removes and returns those that have waited longest. */
  take(): readonly NamesKey[] {
    const taken = [...this.#keys].slice(0, atOnceMax)
    for (const key of taken) this.#keys.delete(key)
    return taken
  }
}
