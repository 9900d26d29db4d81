/** When a token or a session was last used, to the minute: a write for each request would cost more than the request. */

const minuteMs = 60_000
const flushEveryMs = 30_000

/** Milliseconds since the epoch. */
export type Uses = readonly (readonly [id: number, at: number])[]

/**
 * @param save writes what was gathered, [id, milliseconds since the epoch] each
 * @param report is told why a save failed; what it was to write stays gathered, and is tried again
 */
export function lastUse(save: (uses: Uses) => Promise<void>, report: (error: unknown) => void) {
  let gathered = new Map<number, number>()
  let timer: NodeJS.Timeout | undefined
  let saving = Promise.resolve()
  let closed = false

  function saveLater(): void {
    if (closed) return
    timer ??= setTimeout(() => {
      timer = undefined
      saving = saveGathered()
    }, flushEveryMs).unref()
  }

  /** Never rejects: nobody waits for it. */
  async function saveGathered(): Promise<void> {
    const uses = gathered
    if (uses.size === 0) return
    gathered = new Map()
    try {
      await save([...uses])
    } catch (error) {
      // What was used again meanwhile keeps its later time.
      gathered = new Map([...uses, ...gathered])
      saveLater()
      report(error)
    }
  }

  return {
    /** @param known when the database last heard of it */
    note(id: number, known: number | null): void {
      const now = Date.now()
      if (known !== null && now - known < minuteMs) return
      if (gathered.has(id)) return
      gathered.set(id, now)
      saveLater()
    },

    /** Saves what waits, for the last time. Does not reject: closing goes on whether or not it could be saved. */
    async close(): Promise<void> {
      closed = true
      clearTimeout(timer)
      await saving
      await saveGathered()
    },
  }
}
