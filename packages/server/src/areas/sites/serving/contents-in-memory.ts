import { buffer } from 'node:stream/consumers'
import { LRUCache } from 'lru-cache'
import { StorageError, type Blobs, type ByteRange, type Content } from '../../../ports/blobs/port.js'
import type { Encoding } from '../../../shared/encodings.js'
import type { StoredForm } from './store.js'

const memoryMax = 64 * 1024 * 1024
/** Larger contents are read from the store each time: they are few requests, and would push many small ones out of memory. */
const contentMax = 256 * 1024
/** Of memory for an entry, besides its bytes. */
const entryBytes = 512

/** A form of a content. */
export interface ContentForm extends StoredForm {
  readonly contentId: number
  readonly encoding: Encoding
}

/** Small contents, kept by content and encoding: most of them survive a deployment. */
export class ContentsInMemory {
  readonly #contents = new LRUCache<string, Buffer>({
    maxSize: memoryMax,
    sizeCalculation: ({ length }) => length + entryBytes,
  })
  readonly #loading = new Map<string, Promise<Buffer>>()

  constructor(private readonly blobs: Pick<Blobs, 'open'>) {}

  /** @returns undefined for a content that is not in memory */
  find(form: ContentForm): Buffer | undefined {
    return form.size === 0 ? empty : this.#contents.get(keyOf(form))
  }

  /** Opens a part of a content, and keeps the whole content if it is small. @throws StorageError */
  async open(form: ContentForm, { first, last }: ByteRange): Promise<Content> {
    const { key, start, size } = form
    if (size > contentMax) return this.blobs.open(key, { first: start + first, last: start + last })
    return (this.find(form) ?? (await this.#load(form))).subarray(first, last + 1)
  }

  /** Many requests for a content that is not in memory read it once. */
  #load(form: ContentForm): Promise<Buffer> {
    const key = keyOf(form)
    const running = this.#loading.get(key)
    if (running) return running
    const loading = this.#read(form).finally(() => this.#loading.delete(key))
    this.#loading.set(key, loading)
    return loading
  }

  async #read(form: ContentForm): Promise<Buffer> {
    const { key, start, size } = form
    const bytes = await buffer(await this.blobs.open(key, { first: start, last: start + size - 1 }))
    if (bytes.length !== size) throw new StorageError('A stored file does not have the length that it should have.')
    this.#contents.set(keyOf(form), bytes)
    return bytes
  }
}

const empty = Buffer.alloc(0)

const keyOf = ({ contentId, encoding }: ContentForm): string => `${encoding}${contentId}`
