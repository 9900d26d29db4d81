import type { Database } from '../../../db/port.js'
import { dayMs } from '../../../shared/days.js'
import type { Job } from '../../../shared/job.js'
import { retentionStore, type Expired, type StoredHistory } from './retention-store.js'

/** How much of the history of a zone is kept; 0 for no limit. */
export interface HistoryLimits {
  readonly historyDays: number
  readonly historyBytes: number
}

/** Removes changes that are too old, those of before the serial began again, and the oldest ones of a zone whose history is too large. */
export function historyRetention(db: Database, { historyDays, historyBytes }: HistoryLimits): Job {
  const store = retentionStore(db)

  async function trimAll(history: StoredHistory, expired: Expired, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await store.trim(history, expired)));
  }

  /** They are not shown, whatever is kept. */
  async function trimFormer(history: StoredHistory, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await store.trimFormer(history)));
  }

  return {
    name: 'dns.history-retention',
    everyMs: 3_600_000,
    runsIn: 'one process',
    failureMessage: 'old changes of zones could not be removed from their histories',
    run: async (signal) => {
      const before = historyDays === 0 ? 0 : Date.now() - historyDays * dayMs
      const maxBytes = historyBytes === 0 ? Infinity : historyBytes
      for await (const histories of store.all())
        for (const history of histories) {
          if (signal.aborted) return
          if (history.hasFormer) await trimFormer(history, signal)
          // A zone that never had so many bytes of history has not too many now.
          if (history.oldest === null || (history.oldest >= before && history.end <= maxBytes)) continue
          await trimAll(history, { before, maxBytes }, signal)
        }
    },
  }
}
