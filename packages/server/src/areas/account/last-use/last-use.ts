import type { Job } from '../../../shared/job.js'
import { WriteBatch } from '../../../shared/write-batch.js'
import type { Use, Uses } from './store.js'

const minuteMs = 60_000
const flushEveryMs = 30_000

/**
 * Collects when tokens or sessions were last used, to the minute: a write for each request would cost more than the request.
 * @param save writes the uses in one unit of work
 */
export function lastUse(save: (uses: Uses) => Promise<void>) {
  const batch = new WriteBatch<Use>(save, (earlier, later) => (later.at > earlier.at ? later : earlier))
  return {
    /**
     * @param known the last use that the database has: milliseconds since the epoch
     * @param network returns that of the client
     */
    note(id: number, known: number | null, network: () => string | null = () => null): void {
      const now = Date.now()
      if (known !== null && now - known < minuteMs) return
      if (!batch.has(id)) batch.add(id, { at: now, network: network() })
    },

    /** @throws the error of `save`. The uses are kept for the next flush. */
    flush: () => batch.flush(),
  }
}

export const lastUseNotSaved = 'the last uses of tokens and sessions, and failed sign-ins, could not be saved'

/** Each process saves the uses that it has seen. */
export const lastUseJob = (name: string, flush: () => Promise<void>): Job => ({
  name,
  everyMs: flushEveryMs,
  runsIn: 'every process',
  failureMessage: lastUseNotSaved,
  run: flush,
})
