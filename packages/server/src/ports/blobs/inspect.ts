import { batches } from './batches.js'
import { StorageError, writerOf, writersOf, type BlobKey, type Blobs } from './port.js'
import { isRenewedLater } from './writer-marks.js'
import type { WriterStore } from './writer-store.js'

/** How many entries of one kind are kept. */
const keptMax = 20

/** Counts entries of one kind and keeps the first 20, so that memory does not grow with their number. */
export class Findings<T> {
  count = 0
  readonly first: T[] = []

  add(entry: T): void {
    this.count += 1
    if (this.first.length < keptMax) this.first.push(entry)
  }
}

/** How many rows are read at a time. */
const pageMax = 500

/** How many objects are looked up at the same time. */
const lookupsAtOnce = 8

/** After this many failed look-ups, the inspection ends: the store is unreachable. */
const failuresMax = 10

/** Called with the number of entries that have been inspected. */
export type Progress = (inspected: number) => void

/** The row of an object. */
export interface BlobRow {
  readonly key: BlobKey
  /** In bytes. */
  readonly size: number
}

/** Rows whose object is not as it should be. */
export interface RowFindings {
  /** How many rows were read. */
  readonly rows: number
  readonly missing: Findings<BlobRow>
  readonly otherSize: Findings<BlobRow & { readonly objectSize: number }>
  /** Rows whose object could not be looked up. */
  readonly unknown: Findings<BlobRow & { readonly problem: string }>
}

/**
 * Compares the rows of objects with the blob store. Changes nothing, and runs beside servers.
 *
 * An object is stored before its row is committed, and removed after the deletion of its row is committed. So the row is read
 * before the object, and a row whose object is missing is read again: one that still exists has lost its object.
 * @throws StorageError if the store is unreachable
 */
export async function inspectRows(
  store: WriterStore,
  blobs: Blobs,
  progress: Progress = () => undefined,
): Promise<RowFindings> {
  const inspection = new RowInspection(store, blobs)
  let after: BlobKey | undefined = ''
  while (after !== undefined) {
    after = await inspection.inspectPage(after)
    progress(inspection.rows)
  }
  return inspection
}

/** A size in bytes; undefined for a missing object. */
type Found = number | undefined | StorageError

class RowInspection implements RowFindings {
  rows = 0
  readonly missing = new Findings<BlobRow>()
  readonly otherSize = new Findings<BlobRow & { objectSize: number }>()
  readonly unknown = new Findings<BlobRow & { problem: string }>()
  #failures = 0

  constructor(
    private readonly store: WriterStore,
    private readonly blobs: Blobs,
  ) {}

  /** @returns the key after which the next page starts; undefined after the last page */
  async inspectPage(after: BlobKey): Promise<BlobKey | undefined> {
    const page = await this.store.page(after, pageMax)
    this.rows += page.length
    const found = await this.#findAll(page)
    const suspects = page.filter(({ key, size }) => found.get(key) !== size)
    const existing = suspects.length === 0 ? new Set() : await this.store.inUse(suspects.map(({ key }) => key))
    for (const row of suspects) if (existing.has(row.key)) this.#note(row, found.get(row.key))
    return page.length < pageMax ? undefined : page.at(-1)?.key
  }

  async #findAll(page: readonly BlobRow[]): Promise<ReadonlyMap<BlobKey, Found>> {
    const found = new Map<BlobKey, Found>()
    const queue = page.values()
    const findNext = async (): Promise<void> => {
      for (const { key } of queue) found.set(key, await this.#find(key))
    }
    await Promise.all(Array.from({ length: lookupsAtOnce }, findNext))
    return found
  }

  async #find(key: BlobKey): Promise<Found> {
    try {
      return await this.blobs.sizeOf(key)
    } catch (error) {
      this.#failures += 1
      if (!(error instanceof StorageError) || this.#failures >= failuresMax) throw error
      return error
    }
  }

  #note({ key, size }: BlobRow, found: Found): void {
    if (found === undefined) this.missing.add({ key, size })
    else if (typeof found === 'number') this.otherSize.add({ key, size, objectSize: found })
    else this.unknown.add({ key, size, problem: found.message })
  }
}

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
export async function inspectObjects(
  store: WriterStore,
  blobs: Blobs,
  progress: Progress = () => undefined,
): Promise<ObjectFindings> {
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
    progress(found.objects)
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

/** Whose bytes an object has. */
export interface BlobOwner {
  readonly email: string
  readonly kind: 'file' | 'upload' | 'artifact' | 'site'
  /** Id of the file or the upload, or the address of the artifact. Undefined for an object that several sites of the account share. */
  readonly name?: string
}

/** By key. An object that no row of an area refers to is left out. */
export type BlobOwners = ReadonlyMap<BlobKey, BlobOwner>
