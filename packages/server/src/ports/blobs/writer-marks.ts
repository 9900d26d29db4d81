import type { Blobs } from './port.js'
import type { WriterLease } from './writer-store.js'

/**
 * Notes in the blob store how often the lease of a writer has been renewed. The process may go on to store objects after a backup
 * of its database. In the restored database, or in a copy, the row of the writer then counts fewer renewals than its mark.
 */
export const writeRenewals = (blobs: Blobs, { id, renewals }: WriterLease): Promise<void> =>
  blobs.writeMark(`writer-${id}`, String(renewals))

/** Whether a later state of the database has renewed the lease. True for a damaged mark. @throws StorageError */
export async function isRenewedLater(blobs: Blobs, { id, renewals }: WriterLease): Promise<boolean> {
  const marked = await blobs.readMark(`writer-${id}`)
  return marked !== undefined && !(Number(marked) <= renewals)
}
