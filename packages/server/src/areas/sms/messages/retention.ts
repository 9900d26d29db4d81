import type { Database } from '../../../db/port.js'
import type { Job } from '../../../shared/job.js'
import { removalStore, type KeptMessages } from './removal-store.js'

/** Which messages are kept; 0 for no limit. */
export interface MessageLimits {
  readonly retentionDays: number
  /** Messages of an account without a limit of its own. */
  readonly messagesMax: number
}

const dayMs = 86_400_000

/** Removes messages that are too old, and those beyond the maximum after the operator has lowered it. */
export function retentionJob(db: Database, { retentionDays, messagesMax }: MessageLimits): Job {
  const store = removalStore(db)

  async function removeAll(accountId: number, kept: KeptMessages, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await store.removeBatch(accountId, kept)));
  }

  return {
    name: 'sms.retention',
    everyMs: 600_000,
    runsIn: 'one process',
    failureMessage: 'old SMS messages could not be removed',
    run: async (signal) => {
      const now = Date.now()
      const since = retentionDays === 0 ? 0 : now - retentionDays * dayMs
      const kept = { since, latest: now + dayMs, max: messagesMax }
      for (let after: number | undefined = 0; after !== undefined && !signal.aborted;) {
        const { accounts, last }: Awaited<ReturnType<typeof store.overdue>> = await store.overdue(after, kept)
        for (const overdue of accounts) await removeAll(overdue.accountId, overdue.kept, signal)
        after = last
      }
    },
  }
}
