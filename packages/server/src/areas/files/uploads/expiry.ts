import type { BlobKey } from '../../../ports/blobs/port.js'
import type { Job } from '../../../shared/job.js'
import type { ExpiryStore } from './expiry-store.js'

/** How many uploads are read at a time. */
const batch = 100

/** Deletes uploads whose last part is a day old. */
export const expiryJob = (uploads: ExpiryStore, removeBlobs: (keys: readonly BlobKey[]) => Promise<void>): Job => ({
  name: 'files.expired-uploads',
  everyMs: 60_000,
  runsIn: 'one process',
  failureMessage: 'expired uploads could not be deleted',
  run: async (signal) => {
    const now = Date.now()
    let expired
    do {
      expired = await uploads.expired(now, batch)
      for (const upload of expired) {
        if (signal.aborted) return
        await removeBlobs(await uploads.expire(upload, now))
      }
    } while (expired.length === batch)
  },
})
