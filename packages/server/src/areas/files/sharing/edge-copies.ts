import { ApiError } from '@svc/contract/errors'
import { EdgeError, type Edge } from '../../../ports/edge/port.js'
import type { Job } from '../../../shared/job.js'
import type { StoredFile } from '../files/file.js'
import type { Purge, PurgeStore } from './purge-store.js'

/** How many purges the edge gets at a time. */
const batch = 64

/** Copies of shared files in the caches of the edge. */
export const edgeCopies = (edge: Edge, purges: PurgeStore) => ({
  /**
   * Drops the copies from before a change that has been committed.
   * @throws ApiError `upstream_error` if the edge does not confirm it: then the job repeats it
   */
  drop: async ({ id, edgeVersion }: Pick<StoredFile, 'id' | 'edgeVersion'>): Promise<void> => {
    // Only an earlier version can have copies, and 1 is the first that is shared.
    if (edgeVersion <= 1) return
    try {
      await purge(edge, purges, [{ fileId: id, version: edgeVersion }])
    } catch (error) {
      if (!(error instanceof EdgeError)) throw error
      const problem = `The change is saved, but the cache may still serve the file as before: ${error.message}`
      throw new ApiError('upstream_error', `${problem} The server repeats the purge until the cache confirms it.`)
    }
  },
})

/** Repeats the purges that the edge has not confirmed: it was unreachable, or the process that made a change was killed. */
export const purgeJob = (edge: Edge, purges: PurgeStore): Job => ({
  name: 'cdn.unconfirmed-purges',
  everyMs: 5_000,
  runsIn: 'one process',
  failureMessage: 'the cache for share links may serve files as they were before a change: it confirms no purge',
  run: async (signal) => {
    let after = 0
    let unconfirmed: readonly Purge[]
    do {
      unconfirmed = await purges.unconfirmed(after, batch)
      if (unconfirmed.length > 0) await purge(edge, purges, unconfirmed)
      after = unconfirmed.at(-1)?.fileId ?? after
    } while (unconfirmed.length === batch && !signal.aborted)
  },
})

async function purge(edge: Edge, purges: PurgeStore, some: readonly Purge[]): Promise<void> {
  await edge.purge(some.map(({ fileId }) => fileId))
  await purges.confirm(some)
}
