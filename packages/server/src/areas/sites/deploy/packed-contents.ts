import type { TimeSlices } from '../../../shared/time-slices.js'
import { isSmall, type CheckedFile } from '../archive/check-archive.js'
import { dataPieces, readData, unpack, unpackPieces } from '../archive/unpack.js'
import type { ArchiveWindow } from '../archive/window.js'
import type { PackedContent } from '../versions/content-store.js'
import { compressedMax, gzipHeader, gzipTrailer, hasUsefulData, makeBrotli, makeGzip } from './forms.js'

/** How many contents are compressed at the same time: the thread pool of Node.js has four threads. */
const aheadMax = 8

/** The forms of a content, each in pieces. */
interface Forms {
  readonly file: CheckedFile
  readonly identity: Pieces
  readonly gzip: Pieces | undefined
  readonly br: Pieces | undefined
}

type Pieces = Iterable<Buffer> | AsyncIterable<Buffer>

/** Reads contents from an archive, makes their compressed forms, and puts all of them one after another. Read once. */
export class PackedContents {
  /** Where the contents are. Complete when all bytes have been read. */
  readonly contents: PackedContent[] = []
  #at = 0

  constructor(
    private readonly window: ArchiveWindow,
    private readonly files: readonly CheckedFile[],
    private readonly slices: TimeSlices,
  ) {}

  /** @throws StorageError */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    const ahead: Promise<Forms>[] = []
    for (const file of this.files) {
      // A large file is read while it is stored, so nothing may read the archive ahead of it.
      const due = file.size > compressedMax ? ahead.length : Math.max(ahead.length - aheadMax + 1, 0)
      for (const forms of ahead.splice(0, due)) yield* this.#place(await forms)
      if (file.size > compressedMax) yield* this.#place(this.#streamed(file))
      else ahead.push(handled(this.#compressed(file, await this.#read(file))))
      if (this.slices.isOver) await this.slices.next()
    }
    for (const forms of ahead) yield* this.#place(await forms)
  }

  async *#place({ file, identity, gzip, br }: Forms): AsyncGenerator<Buffer> {
    const start = this.#at
    yield* this.#count(identity)
    const gzipStart = this.#at
    if (gzip) yield* this.#count(gzip)
    const brStart = this.#at
    if (br) yield* this.#count(br)
    this.contents.push({
      sha256: file.sha256,
      size: file.size,
      start,
      ...(gzip ? { gzip_start: gzipStart, gzip_size: brStart - gzipStart } : { gzip_start: null, gzip_size: null }),
      ...(br ? { br_start: brStart, br_size: this.#at - brStart } : { br_start: null, br_size: null }),
    })
  }

  async *#count(pieces: Pieces): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      this.#at += piece.length
      yield piece
    }
  }

  /** @returns the data in the archive, and the content */
  async #read(file: CheckedFile): Promise<{ data: Buffer | undefined; bytes: Buffer }> {
    if (!isSmall(file)) return { data: undefined, bytes: await joined(unpackPieces(this.window, file)) }
    const data = await readData(this.window, file)
    return { data, bytes: unpack(file, data) }
  }

  async #compressed(file: CheckedFile, { data, bytes }: { data: Buffer | undefined; bytes: Buffer }): Promise<Forms> {
    const gzip =
      data !== undefined && hasUsefulData(file)
        ? [gzipHeader, data, gzipTrailer(file)]
        : asPieces(await makeGzip(file, bytes))
    const br = asPieces(
      await makeBrotli(
        file,
        bytes,
        gzip?.reduce((sum, { length }) => sum + length, 0),
      ),
    )
    return { file, identity: [bytes], gzip, br }
  }

  /** A large file: its data in the archive is its gzip form, and it has no Brotli form. */
  #streamed(file: CheckedFile): Forms {
    const gzip = hasUsefulData(file) ? this.#gzipOf(file) : undefined
    return { file, identity: this.#inSlices(unpackPieces(this.window, file)), gzip, br: undefined }
  }

  async *#gzipOf(file: CheckedFile): AsyncGenerator<Buffer> {
    yield gzipHeader
    yield* this.#inSlices(dataPieces(this.window, file))
    yield gzipTrailer(file)
  }

  async *#inSlices(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      yield piece
      if (this.slices.isOver) await this.slices.next()
    }
  }
}

const asPieces = (bytes: Buffer | undefined): Buffer[] | undefined => (bytes === undefined ? undefined : [bytes])

async function joined(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}

/** Lets a promise fail before it is awaited, or if it never is, after an earlier failure. */
function handled<T>(promise: Promise<T>): Promise<T> {
  void Promise.allSettled([promise])
  return promise
}
