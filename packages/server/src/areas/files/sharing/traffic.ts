import type { Job } from '../../../shared/job.js'
import { WriteBatch, type Batch } from '../../../shared/write-batch.js'
import type { Traffic } from './traffic-store.js'

/** The counts of both. */
export const sumOf = (a: Traffic, b: Traffic): Traffic => ({
  requests: a.requests + b.requests,
  hits: a.hits + b.hits,
  misses: a.misses + b.misses,
  bytesServed: a.bytesServed + b.bytesServed,
})

export const trafficNotSaved = 'the request counts of shared files could not be saved'

/** Counts requests in memory. @param save adds the counts in one unit of work */
export function trafficCounter(save: (batch: Batch<Traffic>) => Promise<void>) {
  const batch = new WriteBatch<Traffic>(save, sumOf)
  const job: Job = {
    name: 'cdn.traffic',
    everyMs: 1_000,
    runsIn: 'every process',
    failureMessage: trafficNotSaved,
    run: () => batch.flush(),
  }
  return {
    count: (fileId: number, traffic: Traffic): void => batch.add(fileId, traffic),
    /** @throws the error of `save`. The counts are kept for the next flush. */
    flush: () => batch.flush(),
    job,
  }
}
