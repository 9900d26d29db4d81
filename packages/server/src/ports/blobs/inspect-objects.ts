import { batches } from './batches.js'
import { Findings } from './findings.js'
import { writerOf, writersOf, type BlobKey, type Blobs } from './port.js'
import { isRenewedLater } from './writer-marks.js'
import type { WriterStore } from './writer-store.js'

/** How many keys are looked up at a time. */
const batchMax = 500

/** Objects without a row, and remains of interrupted uploads. */
export interface ObjectFindings {
  /** How many entries the blob store has listed. */
  readonly objects: number
  /** Of a process that is running: it commits a row, or removes the object. */
  readonly uploading: Findings<BlobKey>
  /** Of a process that has ended: the sweep removes them. */
  readonly orphans: Findings<BlobKey>
  /** Of a writer that this database does not know, or whose lease a later state of it has renewed. The sweep leaves them alone. */
  readonly laterState: Findings<BlobKey>
  /** Names that svc did not make. The sweep leaves them alone. */
  readonly otherNames: Findings<string>
}

/**
 * Finds the objects that no row refers to. Changes nothing, and runs beside servers.
 *
 * The writers are read before the rows, as in the sweep: a row of a writer that has ended by then was committed before, so the
 * second read sees it.
 * @throws StorageError
 */
export async function inspectObjects(store: WriterStore, blobs: Blobs): Promise<ObjectFindings> {
  const found = {
    objects: 0,
    uploading: new Findings<BlobKey>(),
    orphans: new Findings<BlobKey>(),
    laterState: new Findings<BlobKey>(),
    otherNames: new Findings<string>(),
  }
  const writers = new WriterInspection(store, blobs)
  for await (const batch of batches(blobs.list(), batchMax)) {
    const keys = batch.map(({ key }) => key)
    const kinds = await writers.kindsOf(writersOf(keys))
    const used = await store.inUse(keys)
    found.objects += keys.length
    for (const key of keys) {
      const writer = writerOf(key)
      if (writer === undefined) found.otherNames.add(key)
      else if (!used.has(key)) found[kinds.get(writer) ?? 'laterState'].add(key)
    }
  }
  return found
}

/** What becomes of the objects of a writer that have no row. */
type Kind = 'uploading' | 'orphans' | 'laterState'

class WriterInspection {
  /** Of writers whose leases have expired. The sweep ends them, so they are few. */
  readonly #expired = new Map<number, Kind>()

  constructor(
    private readonly store: WriterStore,
    private readonly blobs: Blobs,
  ) {}

  /** Those who have not ended are read first: one that ends in the meantime is found in the second read. */
  async kindsOf(ids: ReadonlySet<number>): Promise<ReadonlyMap<number, Kind>> {
    const kinds = new Map<number, Kind>()
    const now = Date.now()
    for (const writer of await this.store.all()) {
      if (writer.expiresAt >= now) kinds.set(writer.id, 'uploading')
      else if (ids.has(writer.id)) {
        const kind =
          this.#expired.get(writer.id) ?? ((await isRenewedLater(this.blobs, writer)) ? 'laterState' : 'orphans')
        this.#expired.set(writer.id, kind)
        kinds.set(writer.id, kind)
      }
    }
    for (const id of await this.store.ended(ids)) kinds.set(id, 'orphans')
    return kinds
  }
}
