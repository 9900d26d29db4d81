import { Readable } from 'node:stream'
import { LRUCache } from 'lru-cache'
import type { ByteRange, Content } from '../blobs/port.js'
import type { Edge, EdgeAnswer, EdgeObject } from './port.js'
import { blockBytes, partOf, readWhole } from './blocks.js'

/** The largest object that is cached, as a fraction of the cache. */
const largestPart = 1 / 16

/** The part of the cache that is kept free for objects that are being read. */
const fillPart = 1 / 4

/** About what an entry needs besides its bytes: key, list, buffer objects, and the headers that are kept for its answers. */
const entryOverhead = 2048

const fillDeadlineMs = 30_000

/** A whole object in memory. */
interface Copy {
  readonly version: number
  /** In blocks of `blockBytes`. */
  readonly blocks: readonly Buffer[]
  /** On the clock of `performance.now()`. */
  readonly expiresAt: number
}

/** An object that is being read. */
interface Fill extends Omit<Copy, 'blocks'> {
  readonly copy: Promise<Copy>
}

/**
 * A cache in the memory of this process.
 * @param cacheBytes its largest size; 0 for no cache
 * @param deadlineMs for reading an object; tests use a shorter one
 */
export function embeddedEdge({ cacheBytes }: { readonly cacheBytes: number }, deadlineMs = fillDeadlineMs): Edge {
  return new EmbeddedEdge(cacheBytes, deadlineMs)
}

/**
 * Copies and fills are found by the id of the file and count only for their version. The database gives the version at each
 * request, so a change in another process takes effect here without a message.
 */
class EmbeddedEdge implements Edge {
  readonly seesAllRequests = true
  readonly #copies: LRUCache<number, Copy>
  readonly #fills = new Map<number, Fill>()
  #fillBytes = 0

  constructor(
    private readonly cacheBytes: number,
    private readonly deadlineMs: number,
  ) {
    // lru-cache has no cache of size 0. If the cache is off, this one stays empty.
    const maxSize = Math.max(1, Math.floor(cacheBytes * (1 - fillPart)))
    this.#copies = new LRUCache({ maxSize, sizeCalculation: sizeOf })
  }

  findWholeCopy(object: Pick<EdgeObject, 'fileId' | 'version'>): Buffer | undefined {
    const blocks = this.#find(object)?.blocks
    return blocks?.length === 1 ? blocks[0] : undefined
  }

  async open(object: EdgeObject, range: ByteRange): Promise<EdgeAnswer> {
    const copy = this.#find(object)
    if (copy) return { bytes: this.#read(object, copy, range), isHit: true }
    const fill = this.#join(object)
    if (fill) return { bytes: this.#read(object, await fill.copy, range), isHit: true }
    if (!this.#admits(object)) return { bytes: await object.fetch(range), isHit: false }
    return { bytes: this.#read(object, await this.#fill(object), range), isHit: false }
  }

  headers(): Readonly<Record<string, string>> {
    return { 'cache-control': 'max-age=0, must-revalidate' }
  }

  purge(fileIds: readonly number[]): Promise<void> {
    for (const id of fileIds) {
      this.#copies.delete(id)
      // The fill goes on for the requests that wait for it, but its copy is not kept.
      this.#fills.delete(id)
    }
    return Promise.resolve()
  }

  close(): Promise<void> {
    this.#copies.clear()
    this.#fills.clear()
    return Promise.resolve()
  }

  #find({ fileId, version }: Pick<EdgeObject, 'fileId' | 'version'>): Copy | undefined {
    const copy = this.#copies.get(fileId)
    return copy?.version === version && performance.now() < copy.expiresAt ? copy : undefined
  }

  #join({ fileId, version }: EdgeObject): Fill | undefined {
    const fill = this.#fills.get(fileId)
    return fill?.version === version && performance.now() < fill.expiresAt ? fill : undefined
  }

  /** Whether to cache an object. Not one that a request found in the database before a change that is already known here. */
  #admits({ fileId, version, size, ttl }: EdgeObject): boolean {
    const known = Math.max(this.#copies.peek(fileId)?.version ?? 0, this.#fills.get(fileId)?.version ?? 0)
    const fits = size <= this.cacheBytes * largestPart && this.#fillBytes + size <= this.cacheBytes * fillPart
    return ttl > 0 && fits && version >= known
  }

  async #fill(object: EdgeObject): Promise<Copy> {
    const { fileId, version, size, ttl } = object
    const expiresAt = performance.now() + ttl * 1000
    this.#fillBytes += size
    const copy = readWhole(object, this.deadlineMs).then((blocks) => ({ version, blocks, expiresAt }))
    const fill: Fill = { version, expiresAt, copy }
    this.#fills.set(fileId, fill)
    try {
      const filled = await copy
      // Otherwise it was purged, or a newer version is being read.
      if (this.#fills.get(fileId) === fill) this.#copies.set(fileId, filled)
      return filled
    } finally {
      this.#fillBytes -= size
      if (this.#fills.get(fileId) === fill) this.#fills.delete(fileId)
    }
  }

  #read(object: EdgeObject, { blocks }: Copy, range: ByteRange): Content {
    const part = partOf(blocks, range)
    if (range.first + part.length > range.last) return part
    return Readable.from(this.#partsOf(object, range), { objectMode: false, highWaterMark: blockBytes })
  }

  /**
   * Reads block by block and does not hold the copy, so that slow clients cannot keep copies in memory that the cache has dropped.
   * The rest of a dropped copy comes from the blob store.
   */
  async *#partsOf({ fileId, version, fetch }: EdgeObject, { first, last }: ByteRange): AsyncGenerator<Buffer> {
    for (let at = first; at <= last;) {
      const copy = this.#copies.peek(fileId)
      if (copy?.version !== version) {
        const rest = await fetch({ first: at, last })
        if (Buffer.isBuffer(rest)) yield rest
        else yield* rest as AsyncIterable<Buffer>
        return
      }
      const part = partOf(copy.blocks, { first: at, last })
      at += part.length
      yield part
    }
  }
}

const sizeOf = ({ blocks }: Copy): number => entryOverhead + blocks.reduce((sum, { length }) => sum + length, 0)
