import { ApiError } from '@svc/contract/errors'
import { EdgeError, type Edge } from '../../../ports/edge/port.js'
import type { StoredFile } from '../files/file.js'

/** Copies of shared files in the caches of the edge. */
export const edgeCopies = (edge: Edge) => ({
  /**
   * Drops the copies from before a change that has been committed.
   * @throws ApiError `upstream_error` if the edge does not confirm it
   */
  drop: async ({ id, edgeVersion }: Pick<StoredFile, 'id' | 'edgeVersion'>): Promise<void> => {
    // Only an earlier version can have copies, and 1 is the first that is shared.
    if (edgeVersion <= 1) return
    try {
      await edge.purge([id])
    } catch (error) {
      if (!(error instanceof EdgeError)) throw error
      const message = `The change is saved, but the cache may still serve the file as before: ${error.message} Repeat the request.`
      throw new ApiError('upstream_error', message)
    }
  },
})
