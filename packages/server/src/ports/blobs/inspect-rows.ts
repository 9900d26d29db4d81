import { Findings } from './findings.js'
import { StorageError, type BlobKey, type Blobs } from './port.js'
import type { WriterStore } from './writer-store.js'

/** How many rows are read at a time. */
const pageMax = 500

/** How many objects are looked up at the same time. */
const lookupsAtOnce = 8

/** After this many failed look-ups, the inspection ends: the store is unreachable. */
const failuresMax = 10

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
export async function inspectRows(store: WriterStore, blobs: Blobs): Promise<RowFindings> {
  const inspection = new RowInspection(store, blobs)
  let after: BlobKey | undefined = ''
  while (after !== undefined) after = await inspection.inspectPage(after)
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
