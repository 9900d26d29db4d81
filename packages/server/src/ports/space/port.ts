import { StorageError } from '../blobs/port.js'

/** The space of one file system that svc writes to, when it was last measured. */
export interface MeasuredSpace {
  /** A directory on it. */
  readonly path: string
  /** Bytes that this process may still write. */
  readonly freeBytes: number
  /** Below so many free bytes, nothing large is stored. */
  readonly reserveBytes: number
}

/** Keeps a part of each disk free, so that deletes, revocations and small changes always have room. */
export interface DiskSpace {
  /**
   * Called before something large is stored, and for its bytes while they arrive.
   * @param bytes that are about to be written
   * @throws LowDiskSpace if a file system has less than its reserve, or would have
   */
  readonly require: (bytes?: number) => void
  /**
   * Called before a small change that frees nothing. Such changes have the most of the reserve, and the rest is for those that free
   * space: SQLite needs some for them, too.
   * @throws LowDiskSpace if the rest is all that is left
   */
  readonly requireForChange: () => void
  /** Counts bytes that are being written. @throws LowDiskSpace */
  readonly take: (bytes: number) => void
  readonly isLow: () => boolean
  /** Empty with PostgreSQL and a bucket, where there is nothing to measure. */
  readonly measured: () => readonly MeasuredSpace[]
}

/** Something is not stored, because a disk has less free space than its reserve. */
export class LowDiskSpace extends StorageError {
  override readonly name = 'LowDiskSpace'
}

export const nothingLarge =
  'The disk of the server is almost full: it stores no files, deploys, packages, submissions, requests and messages until its operator frees space. Deletes and small changes work.'

export const nothingNew =
  'The disk of the server is full: only deletes, revocations and sign-ins work until its operator frees space.'

/** For commands of the operator, which may use the reserve, and for tests. */
export const unlimitedSpace: DiskSpace = {
  require: () => undefined,
  requireForChange: () => undefined,
  take: () => undefined,
  isLow: () => false,
  measured: () => [],
}
