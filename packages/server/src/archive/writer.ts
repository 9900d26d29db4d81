import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { pack, type Pack } from 'tar-stream'
import type { Row } from '../db/table-shape.js'
import { Contents } from './contents.js'
import {
  endName,
  formatEnd,
  formatSum,
  headerName,
  objectName,
  objectsPerSums,
  rowsName,
  sumsName,
  type ArchiveHeader,
} from './format.js'
import type { ArchiveOutput } from './output.js'

/** What a finished archive contains. */
export interface ArchiveTotals {
  /** Of the archive, in bytes. */
  readonly size: number
  readonly rows: number
  readonly objects: number
}

/** Writes an archive: objects first, then rows. Every call waits until the output has taken the bytes. */
export class ArchiveWriter {
  readonly #pack: Pack = pack()
  readonly #written: Promise<void>
  readonly #contents: Contents
  #sums: string[] = []
  #sumsEntries = 0
  #size = 0

  private constructor(
    header: ArchiveHeader,
    headerText: string,
    private readonly output: ArchiveOutput,
  ) {
    this.#contents = new Contents(header, headerText)
    this.#written = output.write(this.#packed())
    // Each call reports a failure of the output; without one, it must not end the process.
    this.#written.catch(() => undefined)
  }

  /** @throws the error of the output */
  static async start(output: ArchiveOutput, header: ArchiveHeader): Promise<ArchiveWriter> {
    const text = `${JSON.stringify(header, null, 2)}\n`
    const writer = new ArchiveWriter(header, text, output)
    await writer.#addText(headerName, text)
    return writer
  }

  /**
   * Adds an object of the blob store.
   * @param size the number of its bytes
   * @throws the error of `bytes`: the object is in the archive, but marked as void. The error of the output
   */
  async addObject(key: string, size: number, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const exact = new ExactBytes(bytes, size)
    await this.#unlessBroken(() => pipeline(exact, this.#pack.entry({ name: objectName(key), size, mode: 0o600 })))
    this.#sums.push(formatSum(key, exact.sha256))
    this.#contents.addObject(size)
    if (this.#sums.length === objectsPerSums) await this.#addSums()
    if (exact.failure !== undefined) throw exact.failure
  }

  /** Adds rows of a table of the header. No object may follow. */
  async addRows(table: string, rows: readonly Row[]): Promise<void> {
    await this.#addSums()
    const sum = this.#contents.tables.get(table)
    if (sum === undefined) throw new Error(`The header of the archive has no table ${table}.`)
    const text = sum.add(rows)
    await this.#addText(rowsName(table, sum.entries), text)
  }

  /**
   * Completes the archive: it is durable, and has its name.
   * @param lastIds the last id that each table with generated ids has given out, if its rows keep their ids
   * @throws the error of the output
   */
  async finish(lastIds: ReadonlyMap<string, number> = new Map()): Promise<ArchiveTotals> {
    await this.#addSums()
    const end = this.#contents.end(lastIds)
    await this.#addText(endName, formatEnd(end))
    this.#pack.finalize()
    await this.#written
    await this.output.complete()
    const rows = Object.values(end.tables).reduce((sum, table) => sum + table.rows, 0)
    return { size: this.#size, rows, objects: end.objects }
  }

  /** Deletes the unfinished archive. */
  async abandon(): Promise<void> {
    this.#pack.destroy()
    await Promise.allSettled([this.#written])
    await this.output.discard()
  }

  async *#packed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#pack as AsyncIterable<Uint8Array>) {
      this.#size += chunk.length
      yield chunk
    }
  }

  async #addSums(): Promise<void> {
    if (this.#sums.length === 0) return
    const text = this.#sums.join('')
    this.#sums = []
    await this.#addText(sumsName(++this.#sumsEntries), text)
  }

  #addText(name: string, text: string): Promise<void> {
    return this.#unlessBroken(
      () =>
        new Promise((resolve, reject) => {
          this.#pack.entry({ name, mode: 0o600 }, text, (error) => {
            if (error) reject(error)
            else resolve()
          })
        }),
    )
  }

  /** The error of a broken output. The library reports it as an unspecific error of the entry. */
  async #unlessBroken(addEntry: () => Promise<void>): Promise<void> {
    const broken = this.#written.then(() => new Promise<never>(() => undefined))
    try {
      await Promise.race([addEntry(), broken])
    } catch (error) {
      this.#pack.destroy()
      await this.#written
      throw error
    }
  }
}

/** The bytes of a source, cut off or filled up with zeros to a size, and their checksum. */
class ExactBytes implements AsyncIterable<Uint8Array> {
  /** Undefined if the source failed or has another size. */
  sha256: string | undefined
  failure: Error | undefined

  constructor(
    private readonly source: AsyncIterable<Uint8Array>,
    private readonly size: number,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const hash = createHash('sha256')
    let left = this.size
    try {
      for await (const chunk of this.source) {
        if (chunk.length > left) throw new Error('The object has more bytes than expected.')
        left -= chunk.length
        hash.update(chunk)
        yield chunk
      }
      if (left > 0) throw new Error('The object has fewer bytes than expected.')
      this.sha256 = hash.digest('hex')
    } catch (error) {
      this.failure = error instanceof Error ? error : new Error(String(error))
    }
    for (const zeros = Buffer.alloc(64 * 1024); left > 0; left -= Math.min(left, zeros.length))
      yield zeros.subarray(0, Math.min(left, zeros.length))
  }
}
