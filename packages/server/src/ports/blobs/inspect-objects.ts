import { batches } from './batches.js'
import { Findings } from './findings.js'
import { ownerKey } from './ownership.js'
import { writerOf, type BlobKey, type Blobs } from './port.js'
import type { WriterStore } from './writer-store.js'

/** How many keys are looked up at a time. */
const batchMax = 500

/** Objects without a row, and remains of interrupted uploads. */
export interface ObjectFindings {
  /** How many entries the blob store has listed. */
  readonly objects: number
  /** Of a process that is running: it commits a row, or removes the object. */
  readonly uploading: Findings<BlobKey>
  /** Of a process that is gone: the sweep removes them. */
  readonly orphans: Findings<BlobKey>
  /** Names that svc did not make. The sweep leaves them alone. */
  readonly otherNames: Findings<string>
}

/**
 * Finds the objects that no row refers to. Changes nothing, and runs beside servers.
 *
 * The writers are read before the rows, as in the sweep: a row of a writer that is gone by then was committed before, so the
 * second read sees it.
 * @throws StorageError
 */
export async function inspectObjects(store: WriterStore, blobs: Blobs): Promise<ObjectFindings> {
  const [uploading, orphans] = [new Findings<BlobKey>(), new Findings<BlobKey>()]
  const otherNames = new Findings<string>()
  let objects = 0
  for await (const batch of batches(blobs.list(), batchMax)) {
    const writers = await store.living(Date.now())
    const used = await store.inUse(batch.map(({ key }) => key))
    for (const { key } of batch) {
      if (key === ownerKey) continue
      objects += 1
      const writer = writerOf(key)
      if (writer === undefined) otherNames.add(key)
      else if (!used.has(key)) (writers.has(writer) ? uploading : orphans).add(key)
    }
  }
  return { objects, uploading, orphans, otherNames }
}
