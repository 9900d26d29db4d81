import type { Logger } from 'pino'
import type { QueryCounts, ZoneCounts } from '../../../ports/dns/query-counts.js'
import type { Job } from '../../../shared/job.js'
import { WriteBatch } from '../../../shared/write-batch.js'
import type { QueryCountStore } from './query-count-store.js'

/** How often a process writes what its nameserver has counted. A crash loses the counts since then. */
const saveEveryMs = 60_000

const failureMessage = 'the counts of the queries for zones could not be saved'

export interface CountSaving {
  readonly job: Job
  /** Writes what was counted since the last run of the job. Does not reject. */
  readonly close: () => Promise<void>
}

/** Writes the counts of the nameserver in this process. Those of a failed write are kept for the next one. */
export function countSaving(
  counts: Pick<QueryCounts, 'take'>,
  store: Pick<QueryCountStore, 'add'>,
  log: Pick<Logger, 'warn'>,
): CountSaving {
  const waiting = new WriteBatch<ZoneCounts, string>((batch) => store.add(batch.map(([, of]) => of)), add)
  const save = async () => {
    for (const taken of counts.take()) waiting.add(`${String(taken.holder)} ${taken.zone}`, taken)
    await waiting.flush()
  }
  return {
    close: () =>
      save().catch((error: unknown) => {
        log.warn({ err: error }, failureMessage)
      }),
    job: { name: 'dns.query-counts', everyMs: saveEveryMs, runsIn: 'every process', failureMessage, run: save },
  }
}

const add = (earlier: ZoneCounts, later: ZoneCounts): ZoneCounts => ({
  ...earlier,
  counts: earlier.counts.map((count, at) => count + (later.counts[at] ?? 0)),
})
