import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { StorageError, type ByteRange, type Content } from '../../ports/blobs/port.js'
import type { DownloadContent } from '../answer.js'
import { lengthOf } from './select-ranges.js'

/** A part of the content, or the text between two parts. */
export type Piece = ByteRange | Buffer

/** The body of a download: one or more parts of its content. */
export class DownloadBody {
  /** Bytes that the connection has taken. */
  sent = 0
  /** In bytes. */
  readonly length: number
  /** The part that is being sent. */
  #open: Readable | undefined
  #isClosed = false
  /** The bytes of a content in memory: they are counted when the connection has taken all. */
  #atEnd = 0

  constructor(
    private readonly content: DownloadContent,
    private readonly pieces: readonly Piece[],
  ) {
    this.length = pieces.reduce((sum, piece) => sum + (Buffer.isBuffer(piece) ? piece.length : lengthOf(piece)), 0)
  }

  /** Opens the first part at once, so that a failure can still be answered. @throws StorageError */
  async read(): Promise<Content> {
    const first = this.pieces.find((piece) => !Buffer.isBuffer(piece)) as ByteRange
    const content = await this.#openPart(first)
    if (this.pieces.length === 1 && Buffer.isBuffer(content)) {
      requireLength(content.length - this.length)
      this.#atEnd = content.length
      return content
    }
    return Readable.from(this.#chunks(content), { objectMode: false })
  }

  /** Closes the part that is being sent, and opens no other. @param isComplete whether the connection has taken all */
  close(isComplete: boolean): void {
    this.#isClosed = true
    this.#open?.destroy()
    if (isComplete) this.sent += this.#atEnd
  }

  async *#chunks(first: Content): AsyncGenerator<Buffer> {
    let next: Content | undefined = first
    for (const piece of this.pieces) {
      if (Buffer.isBuffer(piece)) {
        yield piece
        this.sent += piece.length
      } else {
        yield* this.#part(next ?? (await this.#openPart(piece)), lengthOf(piece))
        next = undefined
      }
    }
  }

  /** @throws StorageError for a part of another length, which would end the answer in the wrong place */
  async *#part(content: Content, length: number): AsyncGenerator<Buffer> {
    let missing = length
    for await (const chunk of (Buffer.isBuffer(content) ? [content] : content) as AsyncIterable<Buffer>) {
      missing -= chunk.length
      if (missing < 0) break
      yield chunk
      this.sent += chunk.length
    }
    requireLength(missing)
  }

  async #openPart(range: ByteRange): Promise<Content> {
    const stream = await this.content.open(range)
    if (Buffer.isBuffer(stream)) return stream
    // The reader gets the error too. A stream that is destroyed before it is read has no reader.
    stream.on('error', () => undefined)
    this.#open = stream
    if (this.#isClosed) stream.destroy()
    return stream
  }
}

/** @param missing how many bytes too few there are @throws StorageError */
function requireLength(missing: number): void {
  if (missing !== 0) throw new StorageError('A stored file does not have the length that it should have.')
}

/** The parts as multipart/byteranges (RFC 9110, section 14.6). */
export function multipartPieces(
  { mediaType, size }: DownloadContent,
  ranges: readonly ByteRange[],
): { readonly mediaType: string; readonly pieces: readonly Piece[] } {
  const boundary = randomBytes(16).toString('hex')
  const pieces = ranges.flatMap((range) => [
    Buffer.from(
      `\r\n--${boundary}\r\ncontent-type: ${mediaType}\r\ncontent-range: ${contentRange(range, size)}\r\n\r\n`,
    ),
    range,
  ])
  return {
    mediaType: `multipart/byteranges; boundary=${boundary}`,
    pieces: [...pieces, Buffer.from(`\r\n--${boundary}--\r\n`)],
  }
}

/** The value of Content-Range (RFC 9110, section 14.4). */
export const contentRange = ({ first, last }: ByteRange, size: number): string => `bytes ${first}-${last}/${size}`
