import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { extract, type Entry } from 'tar-stream'
import type { Row } from '../db/table-shape.js'
import { writerOf } from '../ports/blobs/port.js'
import { isEnd, parseHeader } from './checks.js'
import { Contents } from './contents.js'
import { cutOff, damaged, explainReadFailure, notAnArchive } from './errors.js'
import {
  endName,
  formatSum,
  headerName,
  objectsPerSums,
  parseEnd,
  parseRow,
  rowsName,
  type ArchiveHeader,
} from './format.js'

/** A part of an archive. The bytes of an object may be left unread. */
export type ArchiveItem =
  | { readonly kind: 'object'; readonly key: string; readonly size: number; readonly bytes: AsyncIterable<Uint8Array> }
  /** Objects that could not be read when the archive was made: they must not be kept. */
  | { readonly kind: 'void'; readonly keys: readonly string[] }
  | { readonly kind: 'rows'; readonly table: string; readonly rows: readonly Row[] }

/** Entries with rows have about 1 MiB, and the last row may be larger. A larger size is that of a damaged header. */
const textMaxBytes = 256 * 1024 * 1024

/** Reads an archive once, from beginning to end, and verifies it. */
export class ArchiveReader {
  /** The objects whose checksums have not been verified yet. After an error, those that were stored must be removed. */
  readonly unverified = new Map<string, string>()
  readonly #found: Contents
  #lastIds: ReadonlyMap<string, number> = new Map()

  private constructor(
    private readonly file: string,
    private readonly entries: AsyncIterator<Entry>,
    readonly header: ArchiveHeader,
    headerText: string,
    /** Ends the reading of the file. */
    readonly close: () => void,
  ) {
    this.#found = new Contents(header, headerText)
  }

  /**
   * Opens an archive and reads its header.
   * @param path the file; `-` is stdin
   * @throws OperatorError if it cannot be read, is not an archive, or is one of a newer version
   */
  static async open(path: string): Promise<ArchiveReader> {
    const file = path === '-' ? 'stdin' : path
    const source = path === '-' ? process.stdin : createReadStream(path, { highWaterMark: 256 * 1024 })
    const tar = extract()
    // The iterator of the entries rejects with the same error.
    pipeline(source, tar).catch(() => undefined)
    const close = () => {
      source.destroy()
      tar.destroy()
    }
    try {
      const entries = tar[Symbol.asyncIterator]()
      const first = await entries.next()
      if (first.done === true || first.value.header.name !== headerName) throw notAnArchive(file)
      const text = await readText(file, first.value)
      return new ArchiveReader(file, entries, parseHeader(file, text), text, close)
    } catch (error) {
      close()
      throw explainReadFailure(file, error, false)
    }
  }

  /** The last id that each table with generated ids has given out. Known after the last item. */
  get lastIds(): ReadonlyMap<string, number> {
    return this.#lastIds
  }

  /**
   * The objects, and then the rows, in the order of the archive. What it has yielded is verified only when it ends.
   * @throws OperatorError if the archive is damaged or cut off
   */
  async *items(): AsyncGenerator<ArchiveItem> {
    try {
      for (;;) {
        const next = await this.entries.next()
        if (next.done === true) throw cutOff(this.file)
        const { name } = next.value.header
        if (name === endName) {
          await this.#verifyEnd(next.value)
          return
        }
        yield* this.#itemsOf(name, next.value)
      }
    } catch (error) {
      throw explainReadFailure(this.file, error, true)
    }
  }

  async *#itemsOf(name: string, entry: Entry): AsyncGenerator<ArchiveItem> {
    const [, key, isSums, table] = /^(?:blobs\/([^/]+?)(\.sha256)?|tables\/([^/]+)\/\d+\.jsonl)$/.exec(name) ?? []
    if (table !== undefined) yield this.#rows(name, table, await readText(this.file, entry))
    else if (isSums !== undefined) yield* this.#verify(name, await readText(this.file, entry))
    else if (key !== undefined && writerOf(key) !== undefined) yield* this.#object(key, entry)
    else throw damaged(this.file, `it has the unknown entry ${JSON.stringify(name)}`)
  }

  async *#object(key: string, entry: Entry): AsyncGenerator<ArchiveItem> {
    if (this.unverified.size === objectsPerSums) throw damaged(this.file, 'checksums of objects are missing')
    const hash = createHash('sha256')
    const size = entry.header.size ?? 0
    const chunks = entry[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
    const bytes: AsyncIterableIterator<Uint8Array> = {
      next: async () => {
        const next = await chunks.next().catch((error: unknown) => {
          throw explainReadFailure(this.file, error, true)
        })
        if (next.done !== true) hash.update(next.value)
        return next
      },
      [Symbol.asyncIterator]: () => bytes,
    }
    this.unverified.set(key, '')
    yield { kind: 'object', key, size, bytes }
    // The rest that the reader left.
    while ((await bytes.next()).done !== true);
    this.unverified.set(key, hash.digest('hex'))
    this.#found.addObject(size)
  }

  *#verify(name: string, text: string): Generator<ArchiveItem> {
    const lines = new Set(text.split(/(?<=\n)/))
    const voids: string[] = []
    for (const [key, sha256] of this.unverified) {
      if (lines.has(formatSum(key, undefined))) voids.push(key)
      else if (!lines.has(formatSum(key, sha256)))
        throw damaged(this.file, `the object ${key} is not in ${name}, or differs`)
    }
    if (lines.size !== this.unverified.size) throw damaged(this.file, `${name} names other objects`)
    if (voids.length > 0) yield { kind: 'void', keys: voids }
    this.unverified.clear()
  }

  async #verifyEnd(entry: Entry): Promise<void> {
    const text = await readText(this.file, entry)
    if (this.unverified.size > 0) throw damaged(this.file, 'checksums of objects are missing')
    const end = parseEnd(text)
    if (!isEnd(end)) throw damaged(this.file, `${endName} has another checksum`)
    const difference = this.#found.differenceFrom(end)
    if (difference !== undefined) throw damaged(this.file, difference)
    this.#lastIds = new Map(Object.entries(end.last_ids))
  }

  #rows(name: string, table: string, text: string): ArchiveItem {
    const columns = this.header.tables.find((archived) => archived.name === table)?.columns ?? []
    const rows = text
      .split('\n')
      .slice(0, -1)
      .map((line) => parseRow(line, columns) ?? [])
    if (rows.some(({ length }) => length === 0))
      throw damaged(this.file, `${name} has a line that is not a row of ${table}`)
    const sum = this.#found.tables.get(table)
    sum?.addText(text, rows.length)
    if (sum === undefined || name !== rowsName(table, sum.entries))
      throw damaged(this.file, `${name} is not expected there`)
    return { kind: 'rows', table, rows }
  }
}

async function readText(file: string, entry: Entry): Promise<string> {
  const { size = 0, name } = entry.header
  if (size > textMaxBytes) throw damaged(file, `${name} has ${String(size)} bytes`)
  const chunks: Uint8Array[] = []
  for await (const chunk of entry as AsyncIterable<Uint8Array>) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
