import type { BlobIntake } from '../../../ports/blobs/intake.js'
import type { Job } from '../../../shared/job.js'
import type { CleanUpStore } from './clean-up-store.js'
import { unusedMs } from './version-store.js'

/** How many versions are read at a time, and how many rows a unit of work removes. */
const versionsAtOnce = 100
const rowsAtOnce = 1_000

/**
 * Removes the files of versions that are no longer kept, and then the objects that hold only unused contents.
 * @param intake removes objects in the background
 */
export const cleanUpJob = (store: CleanUpStore, intake: Pick<BlobIntake, 'remove'>): Job => ({
  name: 'sites.clean-up',
  everyMs: 60_000,
  runsIn: 'one process',
  failureMessage: 'files of old versions of sites could not be removed',
  run: async (signal) => {
    await cleanUp(store, intake, Date.now() - unusedMs, signal)
  },
})

/** @param before unpublished versions and unused contents from before this time are removed; milliseconds since the epoch */
export async function cleanUp(
  store: CleanUpStore,
  intake: Pick<BlobIntake, 'remove'>,
  before: number,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const versions = await store.versions(before, versionsAtOnce)
    for (const version of versions) {
      let isGone = false
      while (!isGone && !signal.aborted) isGone = await store.shrink(version, rowsAtOnce)
    }
    if (versions.length < versionsAtOnce || signal.aborted) break
  }
  for (;;) {
    const contents = await store.contents(before, rowsAtOnce)
    for (const [accountId, unused] of contents) {
      if (signal.aborted) return
      intake.remove(await store.remove(accountId, unused, before))
    }
    if (contents.size === 0) break
  }
}
