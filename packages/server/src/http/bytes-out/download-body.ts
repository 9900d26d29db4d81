import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { recycle, StorageError, type ByteRange, type Content } from '../../ports/blobs/port.js'
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
  /** The length of a body in memory: it is counted when the connection has taken all. */
  #inMemory = 0
  #chunks: AsyncGenerator<Buffer> | undefined
  #next: IteratorResult<Buffer, void> | undefined
  #abandon: ((reason: Error) => void) | undefined

  constructor(
    private readonly content: DownloadContent,
    private readonly pieces: readonly Piece[],
  ) {
    this.length = pieces.reduce((sum, piece) => sum + (Buffer.isBuffer(piece) ? piece.length : lengthOf(piece)), 0)
  }

  /**
   * Opens the first part and reads its first chunk, so that a failure can still be answered.
   * @returns the body if it is in memory; otherwise `writeTo` sends it
   * @throws StorageError
   */
  async open(): Promise<Buffer | undefined> {
    const first = this.pieces.find((piece) => !Buffer.isBuffer(piece)) as ByteRange
    const content = await this.#openPart(first)
    if (this.pieces.length === 1 && Buffer.isBuffer(content)) {
      requireLength(content.length - this.length)
      this.#inMemory = content.length
      return content
    }
    this.#chunks = this.#readAll(content)
    this.#next = await this.#chunks.next()
    return undefined
  }

  /**
   * Writes the chunks and ends the response. Not with `pipe`, which does not tell when the connection has taken a chunk: its memory
   * is used again for a later one.
   * @throws StorageError; Error if the client has left
   */
  async writeTo(response: ServerResponse): Promise<void> {
    let taken = Promise.resolve()
    try {
      for (; this.#next?.done === false; this.#next = await this.#chunks?.next()) {
        await taken
        taken = this.#write(response, this.#next.value)
        // It may fail while the next chunk is read, when nothing waits for it.
        taken.catch(() => undefined)
      }
    } finally {
      // After a failure too: the client gets all that was read before.
      await taken
    }
    response.end()
  }

  /** Whether the answer has ended, or its connection. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Closes the part that is being sent, and opens no other. @param isComplete whether the connection has taken the whole answer */
  close(isComplete: boolean): void {
    this.#isClosed = true
    this.#open?.destroy()
    if (isComplete) this.sent += this.#inMemory
    // Node.js never calls back for an answer that waits for an earlier one of its connection.
    this.#abandon?.(new ClientLeft())
  }

  #write(response: ServerResponse, chunk: Buffer): Promise<void> {
    const source = this.#open
    return new Promise((resolve, reject) => {
      this.#abandon = reject
      response.write(chunk, (error) => {
        if (error) {
          reject(error)
          return
        }
        this.sent += chunk.length
        if (source) recycle(source, chunk)
        resolve()
      })
    })
  }

  async *#readAll(first: Content): AsyncGenerator<Buffer> {
    let next: Content | undefined = first
    for (const piece of this.pieces) {
      if (Buffer.isBuffer(piece)) yield piece
      else {
        yield* this.#part(next ?? (await this.#openPart(piece)), lengthOf(piece))
        next = undefined
      }
    }
  }

  /** @throws StorageError for a part of another length, which would end the answer in the wrong place */
  async *#part(content: Content, length: number): AsyncGenerator<Buffer> {
    let missing = length
    for await (const chunk of Buffer.isBuffer(content) ? [content] : readable(content)) {
      missing -= chunk.length
      if (missing < 0) break
      yield chunk
    }
    requireLength(missing)
  }

  async #openPart(range: ByteRange): Promise<Content> {
    if (this.#isClosed) throw new ClientLeft()
    const content = await this.content.open(range)
    if (Buffer.isBuffer(content)) return content
    // The reader gets the error too. A stream that is destroyed before it is read has no reader.
    content.on('error', () => undefined)
    this.#open = content
    if (this.isClosed) content.destroy()
    return content
  }
}

/** A connection that ends before its answer. */
class ClientLeft extends Error {
  constructor() {
    super('The client has left.')
  }
}

/** @throws StorageError if the store fails in the middle of a content */
async function* readable(content: Readable): AsyncGenerator<Buffer> {
  try {
    yield* content as AsyncIterable<Buffer>
  } catch (error) {
    throw error instanceof StorageError
      ? error
      : new StorageError('A stored file cannot be read to its end.', { cause: error })
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
