/** More than a page sends until the events of the first of them are looked at, which is after three seconds at most: uploads of small files. */
const idsMax = 1_000

/** The requests of this tab: the stream of events repeats what they have changed. */
export class OwnRequests {
  readonly #ids = new Set<string>()
  #writes = 0

  /** A `fetch` whose requests count as those of this tab. */
  readonly tracked =
    (send: typeof fetch): typeof fetch =>
    async (url, options) => {
      const isWrite = options?.method !== undefined && options.method !== 'GET'
      if (isWrite) this.#writes++
      try {
        const answer = await send(url, options)
        this.#remember(answer.headers.get('x-request-id'))
        return answer
      } finally {
        if (isWrite) this.#writes--
      }
    }

  /** Whether a write has no answer yet: its events may arrive before its id does. */
  readonly isWriting = (): boolean => this.#writes > 0

  readonly has = (id: string | null): boolean => id !== null && this.#ids.has(id)

  #remember(id: string | null): void {
    if (id === null) return
    this.#ids.add(id)
    const [oldest] = this.#ids
    if (this.#ids.size > idsMax && oldest !== undefined) this.#ids.delete(oldest)
  }
}

export const ownRequests = new OwnRequests()
