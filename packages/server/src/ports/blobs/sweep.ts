import { batches } from './batches.js'
import { writerOf, type BlobKey, type Blobs } from './port.js'
import type { WriterStore } from './writer-store.js'

/** How many keys are looked up at a time. */
const batchMax = 500

/** After this many failures, the sweep ends: the store is away. Fewer must not keep it from the objects that follow. */
const failuresMax = 10

/**
 * Removes the objects that no row refers to and that no living process is about to commit.
 * @returns how many it removed
 * @throws the first error of the blob store
 */
export async function sweep(store: WriterStore, blobs: Blobs, signal: AbortSignal): Promise<number> {
  await store.endExpired(Date.now())
  let removed = 0
  const failures: unknown[] = []
  for await (const keys of batches(keysOf(blobs), batchMax)) {
    for (const key of await unusedOf(keys, store)) {
      if (signal.aborted) return removed
      await blobs.remove(key).then(
        () => removed++,
        (error: unknown) => failures.push(error),
      )
      if (failures.length === failuresMax) throw failures[0]
    }
    if (signal.aborted) return removed
  }
  if (failures.length > 0) throw failures[0]
  return removed
}

/** A name that svc did not make is not svc's to remove. */
async function* keysOf(blobs: Blobs): AsyncGenerator<BlobKey> {
  for await (const { key } of blobs.list()) if (writerOf(key) !== undefined) yield key
}

/** Reads the writers first: a row of a writer that is gone by then was committed before, so the second read sees it. */
async function unusedOf(keys: readonly BlobKey[], store: WriterStore): Promise<BlobKey[]> {
  const writers = await store.all()
  const gone = keys.filter((key) => !writers.has(writerOf(key) ?? 0))
  if (gone.length === 0) return []
  const used = await store.inUse(gone)
  return gone.filter((key) => !used.has(key))
}
