import type { BlobKey } from '../../../ports/blobs/port.js'
import type { Job } from '../../../shared/job.js'
import type { ExpiryStore } from './expiry-store.js'

/** How many uploads are read at a time. */
const batch = 100

/** Deletes uploads whose last part is a day old. */
export const expiryJob = (uploads: ExpiryStore, removeBlobs: (keys: readonly BlobKey[]) => void): Job => ({
  name: 'files.expired-uploads',
  everyMs: 60_000,
  runsIn: 'one process',
  failureMessage: 'expired uploads could not be deleted',
  run: async (signal) => {
    const now = Date.now()
    // An upload that cannot be deleted must not keep the job from those that follow.
    const failures: unknown[] = []
    let expired
    do {
      expired = await uploads.expired(now, batch)
      for (const upload of expired) {
        if (signal.aborted) return
        await uploads.expire(upload, now).then(removeBlobs, (error: unknown) => failures.push(error))
      }
    } while (expired.length === batch && failures.length === 0)
    if (failures.length > 0) throw failures[0]
  },
})
