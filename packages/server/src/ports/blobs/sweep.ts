import { setTimeout as sleep } from 'node:timers/promises'
import { batches } from './batches.js'
import { writerOf, writersOf, type BlobKey, type Blobs } from './port.js'
import { isRenewedLater } from './writer-marks.js'
import type { WriterStore } from './writer-store.js'

/** How many keys are looked up at a time. On SQLite, 500 random keys among a million block the event loop for 18 ms (median). */
const batchMax = 100

/** The pause after each batch, in milliseconds: the requests of clients need the event loop and the database too. */
const pauseMs = 10

/** After this many failures the store counts as unreachable, and the sweep ends. Fewer failures do not stop it. */
const failuresMax = 10

/**
 * Ends the writers whose leases have expired. It forgets a writer of which a later state of the database has renewed the lease:
 * that writer may have stored objects that are unknown here, but not there.
 * @returns how many it forgot
 * @throws StorageError
 */
export async function endExpired(store: WriterStore, blobs: Blobs): Promise<number> {
  let forgotten = 0
  const now = Date.now()
  for (const writer of await store.all()) {
    if (writer.expiresAt >= now) continue
    if (await isRenewedLater(blobs, writer)) {
      await store.forget(writer)
      forgotten++
    } else await store.endExpired(writer)
  }
  return forgotten
}

/**
 * Removes the objects that no row refers to and whose writers have ended in this database. Objects of other writers belong to
 * another state of the database, or a living process is about to commit them.
 * @returns how many it removed
 * @throws the first error of the blob store
 */
export async function sweep(store: WriterStore, blobs: Blobs, signal: AbortSignal): Promise<number> {
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
    await sleep(pauseMs)
  }
  if (failures.length > 0) throw failures[0]
  return removed
}

/** Skips names that svc did not make: they belong to others. */
async function* keysOf(blobs: Blobs): AsyncGenerator<BlobKey> {
  for await (const { key } of blobs.list()) if (writerOf(key) !== undefined) yield key
}

/** Reads the writers first: a row of a writer that has ended by then was committed before, so the second read sees it. */
async function unusedOf(keys: readonly BlobKey[], store: WriterStore): Promise<BlobKey[]> {
  const ended = await store.ended(writersOf(keys))
  const endedKeys = keys.filter((key) => ended.has(writerOf(key) ?? 0))
  if (endedKeys.length === 0) return []
  const used = await store.inUse(endedKeys)
  return endedKeys.filter((key) => !used.has(key))
}
