import type { BlobKey } from '../ports/blobs/port.js'

/** An object of a request, stored before its handler runs. */
interface StagedObject {
  /** The object in the blob store. */
  readonly key: BlobKey
  /** In bytes. */
  readonly size: number
  /** Lower-case hexadecimal. */
  readonly sha256: string
}

/**
 * The bytes of a request, stored before its handler runs. The handler commits a row that refers to them and then calls `keep`;
 * bytes that are not kept when it ends are removed. If it does not know whether the commit was made, it calls `keep` too: the sweep
 * removes bytes without a row later.
 */
export interface Staged extends StagedObject {
  readonly keep: () => void
}

/** One of several files. */
export interface StagedFile extends StagedObject {
  readonly name: string
}

/** The files of a request, as `Staged`: `keep` keeps all of them. */
export interface StagedFiles {
  readonly files: readonly StagedFile[]
  readonly keep: () => void
}
