import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@svc/contract/errors'
import { Deadline } from '../../../ports/dns/deadline.js'
import type { ReportRestoreFailed } from '../publisher.js'
import type { WriteTime } from './zone-lock.js'

/** One write to an external provider and to the database. @template R what the commit returns */
export interface ProviderWrite<R> {
  readonly zone: string
  readonly publish: (deadline: Deadline | undefined) => Promise<void>
  /** Restores the provider after a failed `publish`; `restore` if missing. */
  readonly unpublish?: (failure: unknown, deadline: Deadline | undefined) => Promise<void>
  readonly commit: () => Promise<R>
  /** @returns whether the published records are the committed ones */
  readonly isPublished: (committed: R) => boolean
  /**
   * After a commit that failed or got no answer.
   * @returns the result if it was committed after all; undefined if not
   * @throws if the database cannot be reached: it is called again until the deadline
   */
  readonly findCommitted: () => Promise<R | undefined>
  /**
   * Publishes the zone of the database at the provider.
   * @param committed what was committed, if it is not what was published
   */
  readonly restore: (deadline: Deadline | undefined, committed?: R) => Promise<void>
}

/** Milliseconds for `findCommitted` in an operator's command, which has no deadline. */
const foundWithinMs = 30_000

const retryAfterMs = 250

/** Repeats a call after an error, until the deadline. @throws the last error */
async function retryUntil<R>(deadline: Deadline, call: () => Promise<R>): Promise<R> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (deadline.remainingMs < retryAfterMs) throw error
      await sleep(retryAfterMs)
    }
  }
}

/**
 * Publishes a change, then commits it. Call it under the zone's lock. When `publish` fails, nothing is committed; when the
 * commit fails, the provider is restored.
 */
export async function publishThenCommit<R>(
  write: ProviderWrite<R>,
  time: WriteTime,
  reportRestoreFailed: ReportRestoreFailed,
): Promise<R> {
  const { zone } = write
  const report = (error: unknown) => {
    reportRestoreFailed(zone, error)
  }
  const restore = (committed?: R) => write.restore(time.restore, committed).catch(report)

  async function commitFailed(failure: unknown): Promise<R> {
    // An ApiError rejects the change: it was not committed.
    if (!(failure instanceof ApiError)) {
      let committed: R | undefined
      try {
        committed = await retryUntil(time.restore ?? Deadline.in(foundWithinMs), write.findCommitted)
      } catch (error) {
        // The change may have been committed or not: leave the provider as it is.
        report(error)
        throw failure
      }
      if (committed !== undefined) return committed
    }
    await restore()
    throw failure
  }

  try {
    await write.publish(time.work)
  } catch (failure) {
    const undone = write.unpublish?.(failure, time.restore) ?? write.restore(time.restore)
    await undone.catch(report)
    throw failure
  }
  let committed: R
  try {
    committed = await write.commit()
  } catch (failure) {
    return commitFailed(failure)
  }
  if (!write.isPublished(committed)) await restore(committed)
  return committed
}
