import type { Readable } from 'node:stream'
import type { ByteRange } from '../blobs/port.js'

/** A shared file as the edge knows it. Two objects with the same file and version have the same bytes. */
export interface EdgeObject {
  readonly fileId: number
  /** Increases with every change after which earlier copies must not be served: purge, config, unshare, another name or type. */
  readonly version: number
  /** In bytes. */
  readonly size: number
  /** How long a copy may be served after it was fetched, in seconds; 0 for never. */
  readonly ttl: number
  /** Reads from the blob store. @throws StorageError */
  readonly fetch: (range: ByteRange) => Promise<Readable>
}

export interface EdgeAnswer {
  readonly bytes: Readable
  /** Whether the bytes came from the cache. */
  readonly isHit: boolean
}

/**
 * The cache for share links.
 *
 * The rows of the database decide at every request which version of a file is served, if any. Therefore:
 * - No answer after a change, in any process, comes from a version before it.
 * - A fetch that was under way during a purge cannot bring the old copy back: it is stored under the old version.
 * - No copy is served longer than its time to live.
 * - Requests that wait for the same object cause one fetch.
 */
export interface Edge {
  /** Opens a part of an object: a copy from the cache, otherwise from the blob store. @throws StorageError */
  open(object: EdgeObject, range: ByteRange): Promise<EdgeAnswer>

  /** Response headers for a cache in front of this server. */
  headers(object: EdgeObject): Readonly<Record<string, string>>

  /**
   * Drops every copy of these files. When it resolves, no cache serves one.
   * @throws EdgeError if a cache in front of this server does not confirm it
   */
  purge(fileIds: readonly number[]): Promise<void>

  /** Whether every request reaches this server, which then counts it. Otherwise `svc edge ingest` reads the log of the cache. */
  readonly seesAllRequests: boolean

  close(): Promise<void>
}

/** The cache in front of this server failed. `message` is safe to show to the caller. */
export class EdgeError extends Error {}
