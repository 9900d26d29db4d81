import type { ByteRange, Content } from '../blobs/port.js'

/** A shared file as the edge knows it. Two objects with the same file and version have the same bytes. */
export interface EdgeObject {
  readonly fileId: number
  /** Increases with every change after which earlier copies must not be served: purge, config, unshare, another name or type. */
  readonly version: number
  /** In bytes, at least 1. */
  readonly size: number
  /** How long a copy may be served after its fetch began, in seconds; 0 for never. */
  readonly ttl: number
  /** Reads from the blob store. @throws StorageError */
  readonly fetch: (range: ByteRange) => Promise<Content>
}

export interface EdgeAnswer {
  readonly bytes: Content
  /** Whether the request needed no fetch: the bytes are in the cache, or another request was already fetching them. */
  readonly isHit: boolean
}

/**
 * The cache for share links.
 *
 * For every request that reaches svc, the database decides which version of a file is served, if any. A copy in this process is
 * served only for its own version, so a change takes effect in every process at its commit. A cache in front of svc does not ask
 * svc before a hit: the caller commits the change, calls `purge`, and acknowledges the change after that.
 *
 * - No answer to a request that begins after `purge` comes from a copy that was made before the change.
 * - A fetch that was under way during a purge cannot bring the old copy back.
 * - No copy is served longer than its time to live.
 * - Requests that wait for the same object cause one fetch. A client that leaves does not end it for the others.
 */
export interface Edge {
  /** Finds all bytes of an object, if a copy has them in one buffer. The same buffer while the copy exists. */
  findWholeCopy(object: Pick<EdgeObject, 'fileId' | 'version'>): Buffer | undefined

  /** Opens a part of an object: a copy from the cache, otherwise from the blob store. @throws StorageError */
  open(object: EdgeObject, range: ByteRange): Promise<EdgeAnswer>

  /**
   * Response headers that say how long the answer may be kept: by a cache in front of svc for the time to live, by all others only
   * if they ask again before each use. An answer that is not 200, 206 or 304 must not have them.
   */
  headers(object: Pick<EdgeObject, 'fileId' | 'ttl'>): Readonly<Record<string, string>>

  /**
   * Drops the copies of these files in this process and in a cache in front of svc.
   * @throws EdgeError if the cache in front of svc does not confirm it; then it may still serve a copy
   */
  purge(fileIds: readonly number[]): Promise<void>

  /** Whether every request reaches svc, which then counts it. Otherwise a hit is only in the log of the cache. */
  readonly seesAllRequests: boolean

  close(): Promise<void>
}

/** The cache in front of svc failed. `message` is safe to show to the caller. */
export class EdgeError extends Error {}
