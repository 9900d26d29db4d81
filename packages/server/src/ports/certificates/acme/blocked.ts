/** Why the CA was not asked: a name does not lead to this server. The message is a sentence for the operator. */
export class NotHere extends Error {
  override readonly name = 'NotHere'
}

/** A look-up for each of these names follows each change, so they are few. */
const atOnceMax = 10

const idsMax = 10_000

/** The ids of certificates that are not ordered because a name does not lead here. A change, such as a new zone, may help. */
export class Blocked {
  /** How many changes have been noted. */
  changes = 0

  readonly #ids = new Set<number>()
  readonly #taken = new Set<number>()

  add(id: number): void {
    if (this.#ids.size < idsMax) this.#ids.add(id)
  }

  remove(id: number): void {
    this.#ids.delete(id)
  }

  noteChange(): void {
    this.changes++
  }

  /** Removes and returns those that have waited longest. */
  take(): readonly number[] {
    const taken = [...this.#ids].slice(0, atOnceMax)
    for (const id of taken) {
      this.#ids.delete(id)
      if (this.#taken.size < idsMax) this.#taken.add(id)
    }
    return taken
  }

  /** @returns whether a change has caused this attempt: resolvers may not see the change yet, so another attempt follows soon */
  beginAttempt(id: number): boolean {
    return this.#taken.delete(id)
  }
}
