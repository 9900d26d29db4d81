import { buffer } from 'node:stream/consumers'
import { LRUCache } from 'lru-cache'
import type { DownloadDescription } from '../../../http/answer.js'
import type { MemoryAnswer } from '../../../http/area.js'
import { asStream, type Blobs, type ByteRange, type Content } from '../../../ports/blobs/port.js'
import type { ServedArtifact } from './artifact-store.js'

const cacheBytes = 32 * 1024 * 1024

/** In bytes. A client that reads slowly keeps the bytes of one artifact in memory, also after they have left the cache. */
const artifactBytesMax = 256 * 1024

/** About what an entry needs besides its bytes. */
const entryOverhead = 2048

/** How many artifacts are read into memory at the same time. */
const fillsMax = 8

interface HotArtifact {
  readonly artifact: ServedArtifact
  readonly head: DownloadDescription
  readonly bytes: Buffer
}

interface HotDependencies {
  readonly blobs: Pick<Blobs, 'open'>
  readonly exists: (artifactId: number) => Promise<boolean>
  /** Called for each download of the whole artifact. */
  readonly count: (artifact: ServedArtifact) => void
}

/** Small artifacts in memory, by the path of their address. As for every request, the database decides whether one is served. */
export class HotArtifacts {
  readonly #known = new LRUCache<string, HotArtifact>({
    maxSize: cacheBytes,
    sizeCalculation: ({ bytes }) => bytes.length + entryOverhead,
  })
  /** By the id of the artifact. */
  readonly #fills = new Map<number, Promise<Buffer>>()

  constructor(private readonly dependencies: HotDependencies) {}

  /** @param target the target of a request as it was sent @returns undefined if the bytes are not in memory */
  find(target: string): Promise<MemoryAnswer | undefined> | undefined {
    const hot = this.#known.get(target)
    return hot && this.#confirm(target, hot)
  }

  /** Opens a part of an artifact. A small artifact is read whole and kept. @throws StorageError */
  async open(path: string, artifact: ServedArtifact, head: DownloadDescription, range: ByteRange): Promise<Content> {
    const { id, key, size } = artifact
    const known = this.#known.get(path)
    if (known?.artifact.id === id) return part(known.bytes, range)
    const fill = this.#fills.get(id)
    if (fill) return part(await fill, range)
    if (size > artifactBytesMax || this.#fills.size >= fillsMax) return this.dependencies.blobs.open(key, range)
    const bytes = await this.#fill(artifact)
    this.#known.set(path, { artifact, head, bytes })
    return part(bytes, range)
  }

  async #fill({ id, key, size }: ServedArtifact): Promise<Buffer> {
    const read = async () => buffer(asStream(await this.dependencies.blobs.open(key, { first: 0, last: size - 1 })))
    const filled = read().finally(() => this.#fills.delete(id))
    this.#fills.set(id, filled)
    return filled
  }

  async #confirm(path: string, { artifact, head, bytes }: HotArtifact): Promise<MemoryAnswer | undefined> {
    if (!(await this.dependencies.exists(artifact.id))) {
      this.#known.delete(path)
      return undefined
    }
    const onSent = (sent: number) => {
      if (sent > 0) this.dependencies.count(artifact)
    }
    return { head, bytes, onSent }
  }
}

const part = (bytes: Buffer, { first, last }: ByteRange): Buffer => bytes.subarray(first, last + 1)
