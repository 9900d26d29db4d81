import { sql } from 'kysely'
import { prepared } from '../src/db/prepared.js'
import { unit } from '../src/db/unit.js'
import { addBlob, deleteBlobs } from '../src/ports/blobs/writer-store.js'
import type { BlobKey } from '../src/ports/blobs/port.js'

/** What an area does with the rows of its objects. */

export const commitBlob = unit(import.meta, 'commitBlob', (tx, key: BlobKey, size: number) => addBlob(tx, key, size))

export const dropBlob = unit(import.meta, 'dropBlob', async (tx, key: BlobKey) => {
  deleteBlobs(tx, [key])
})

const insertPart = prepared((db, p: { uploadId: number; index: number; key: BlobKey; size: number }) =>
  db.insertInto('upload_part').values({ upload_id: p.uploadId, part: p.index, blob_key: p.key, size: p.size }),
)

/** Adds parts to an upload, from index 0, without counting their bytes. */
export const addParts = unit(
  import.meta,
  'addParts',
  async (tx, uploadId: number, parts: readonly { readonly key: BlobKey; readonly size: number }[]) => {
    for (const [index, { key, size }] of parts.entries()) {
      await addBlob(tx, key, size)
      await tx.run(insertPart, { uploadId, index, key, size })
    }
  },
)

const sleepOneSecond = prepared((db, _: object) => db.selectNoFrom(sql`pg_sleep(1)`.as('slept')))

/** Has the row for a second before it commits. Only on PostgreSQL. */
export const commitBlobSlowly = unit(import.meta, 'commitBlobSlowly', async (tx, key: BlobKey, size: number) => {
  await addBlob(tx, key, size)
  await tx.all(sleepOneSecond, {})
})
