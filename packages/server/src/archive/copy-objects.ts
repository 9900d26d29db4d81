import type { Snapshot } from '../db/table-shape.js'
import { OperatorError } from '../shared/operator-error.js'
import { Findings } from '../ports/blobs/inspect.js'
import { asStream, StorageError, type BlobKey, type Blobs, type Content } from '../ports/blobs/port.js'
import { KeySet } from './key-set.js'
import type { ArchiveWriter } from './writer.js'

/** An object to which rows refer. */
export interface ReferredObject {
  readonly key: BlobKey
  /** In bytes. */
  readonly size: number
}

/** An object that is not in the archive although its row is. */
export interface LostObject extends ReferredObject {
  readonly problem: string
}

export interface CopyDependencies {
  readonly blobs: Pick<Blobs, 'sizeOf' | 'open'>
  readonly writer: ArchiveWriter
  readonly openSnapshot: () => Promise<Snapshot>
  /** The objects that the rows of a snapshot need. */
  readonly objectsOf: (snapshot: Snapshot) => AsyncIterable<readonly ReferredObject[]>
  /** Called after each object, with its size in bytes. */
  readonly onCopied?: (size: number) => void
}

/** How often a new snapshot is taken because objects were deleted while the last ones were copied. */
const roundsMax = 20

/** After this many objects that exist and cannot be read, the store counts as unreachable. */
const failuresMax = 10

/** Small objects are read into memory, some at the same time: a round trip to a provider takes longer than their bytes. */
const readsAtOnce = 8
const smallBytes = 1024 * 1024

/**
 * Copies all objects of a snapshot into an archive, beside servers that store and delete objects.
 *
 * An object is stored before its row is committed, and removed after the deletion of its row is committed. So most objects are
 * copied first, and a snapshot is taken afterwards, which needs only a few more. If one of these is missing, a snapshot that is
 * taken later has no row of it, unless the object is lost.
 * @returns the snapshot, whose rows the caller copies and which it closes; and the objects that are lost
 * @throws StorageError if the blob store is unreachable; OperatorError if it cannot be opened; the error of the output or of the database
 */
export async function copyObjects(
  dependencies: CopyDependencies,
): Promise<{ readonly snapshot: Snapshot; readonly lost: Findings<LostObject> }> {
  const copy = new ObjectCopy(dependencies)
  try {
    await copy.copyMost()
    for (let round = 1; round <= roundsMax; round++) {
      const snapshot = await copy.copyRest()
      if (snapshot !== undefined) return { snapshot, lost: copy.lost }
    }
    throw new OperatorError('Objects were deleted faster than they could be copied: try again at a quieter time.')
  } finally {
    copy.close()
  }
}

/** An object before it is copied. The bytes of a small one are read already; a large one is opened when its turn comes. */
type Read = ReferredObject &
  ({ readonly open: () => Promise<Content> | Content } | { readonly isMissing: true } | { readonly error: Error })

class ObjectCopy {
  readonly lost = new Findings<LostObject>()
  /** Objects that are copied, or noted as lost. */
  readonly #done = new KeySet()
  /** Objects that were missing before the next snapshot was taken. */
  readonly #missing = new KeySet()
  #failures = 0

  constructor(private readonly dependencies: CopyDependencies) {}

  close(): void {
    this.#done.close()
    this.#missing.close()
  }

  /** Copies without an open snapshot: it may take hours. */
  async copyMost(): Promise<void> {
    await this.#copyAll(await this.#wantedNow())
  }

  async #wantedNow(): Promise<KeySet> {
    await using snapshot = await this.dependencies.openSnapshot()
    return await this.#wanted(snapshot)
  }

  /** @returns the new snapshot; undefined if one of its objects was missing */
  async copyRest(): Promise<Snapshot | undefined> {
    const snapshot = await this.dependencies.openSnapshot()
    let isComplete = false
    try {
      isComplete = await this.#copyAll(await this.#wanted(snapshot))
      return isComplete ? snapshot : undefined
    } finally {
      if (!isComplete) await snapshot.close()
    }
  }

  async #wanted(snapshot: Snapshot): Promise<KeySet> {
    const wanted = new KeySet()
    for await (const objects of this.dependencies.objectsOf(snapshot))
      for (const { key, size } of objects) {
        if (this.#missing.has(key)) this.#lose({ key, size }, 'it does not exist')
        else if (!this.#done.has(key)) wanted.add(key, size)
      }
    return wanted
  }

  /** @returns whether none was missing */
  async #copyAll(wanted: KeySet): Promise<boolean> {
    let isComplete = true
    try {
      for await (const read of this.#readAhead(wanted)) if (!(await this.#copy(read))) isComplete = false
    } finally {
      wanted.close()
    }
    return isComplete
  }

  /** In the order of the objects. The next ones are read while the caller copies one. */
  async *#readAhead(objects: Iterable<ReferredObject>): AsyncGenerator<Read> {
    const running: Promise<Read>[] = []
    for (const object of objects) {
      running.push(this.#read(object))
      if (running.length === readsAtOnce) yield await (running.shift() as Promise<Read>)
    }
    for (const last of running) yield await last
  }

  /** Never rejects: the caller may leave before it has seen every result. */
  async #read({ key, size }: ReferredObject): Promise<Read> {
    const { blobs } = this.dependencies
    try {
      const found = await blobs.sizeOf(key)
      if (found === undefined) return { key, size, isMissing: true }
      if (found !== size)
        return { key, size, error: new Error(`it has ${String(found)} bytes instead of ${String(size)}`) }
      const open = () => blobs.open(key, { first: 0, last: size - 1 })
      if (size > smallBytes) return { key, size, open }
      const bytes = Buffer.concat((await (await open()).toArray()) as Uint8Array[])
      return { key, size, open: () => bytes }
    } catch (error) {
      return this.#explain({ key, size }, error)
    }
  }

  /** Whether an object that could not be read is missing. Never rejects. */
  async #explain(object: ReferredObject, error: unknown): Promise<Read> {
    const found = await this.dependencies.blobs.sizeOf(object.key).catch(() => null)
    return found === undefined ? { ...object, isMissing: true } : { ...object, error: error as Error }
  }

  /** @returns false for an object that is missing */
  async #copy(read: Read): Promise<boolean> {
    const { key, size } = read
    if ('isMissing' in read) {
      this.#missing.add(key)
      return false
    }
    if ('error' in read) {
      this.#fail(read, read.error)
      return true
    }
    try {
      await this.dependencies.writer.addObject(key, size, asStream(await read.open()))
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      return this.#copy(await this.#explain({ key, size }, error))
    }
    this.#done.add(key)
    this.dependencies.onCopied?.(size)
    return true
  }

  #fail(object: ReferredObject, error: Error): void {
    if (error instanceof OperatorError) throw error
    if (error instanceof StorageError && ++this.#failures === failuresMax) throw error
    this.#lose(object, error.message)
  }

  #lose({ key, size }: ReferredObject, problem: string): void {
    this.lost.add({ key, size, problem })
    this.#missing.delete(key)
    this.#done.add(key)
  }
}
