/** When a token or a session was last used, to the minute: a write for each request would cost more than the request. */

const minuteMs = 60_000
const flushEveryMs = 30_000

/** @param save writes what was gathered, [id, milliseconds since the epoch] each */
export function lastUse(save: (uses: readonly (readonly [id: number, at: number])[]) => Promise<void>) {
  let gathered = new Map<number, number>()

  async function flush(): Promise<void> {
    if (gathered.size === 0) return
    const uses = [...gathered]
    gathered = new Map()
    await save(uses)
  }

  let timer: NodeJS.Timeout | undefined
  return {
    /** @param known when the database last heard of it */
    note(id: number, known: number | null): void {
      const now = Date.now()
      if (known !== null && now - known < minuteMs) return
      if (gathered.has(id)) return
      gathered.set(id, now)
      timer ??= setTimeout(() => {
        timer = undefined
        void flush()
      }, flushEveryMs).unref()
    },

    async flush(): Promise<void> {
      clearTimeout(timer)
      timer = undefined
      await flush()
    },
  }
}
