import { createHash } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { ApiError } from '@svc/contract/errors'
import type { ByteRange, Content } from '../ports/blobs/port.js'
import type { Caller } from '../shared/account.js'
import type { Encoding } from '../shared/encodings.js'

/** Results of a handler other than plain `data`. */

/** `data` of an operation, with further response headers. */
export class WithHeaders<T> {
  constructor(
    readonly data: T,
    readonly headers: Readonly<Record<string, string | string[]>>,
  ) {}
}

/**
 * `data` of an operation as finished JSON, such as a long list that the database has written. It is sent as it is, not through
 * the declared schema: this is the exception to "nothing undeclared gets out", and the handler must guarantee it. The contract
 * walk compares the answers with the schema.
 */
export class RawJson {
  /** @param length in bytes of UTF-8, if that is known: to count those of a text that was just put together takes as long as to copy it */
  constructor(
    readonly json: string,
    readonly length?: number,
  ) {}
}

/**
 * The same in pieces of UTF-8, each short enough not to block the event loop. An iterable is read as fast as the client reads the
 * answer; if it fails, the client sees that the answer is incomplete.
 */
export class LongJson {
  /**
   * @param isCompressible whether clients may get it compressed: only a list without a secret, whose length would otherwise tell the
   *   secret beside input of an attacker (BREACH)
   */
  constructor(
    readonly pieces: readonly Buffer[] | AsyncIterable<Buffer>,
    readonly isCompressible = false,
  ) {}
}

/** A list of so many pieces is sent with its length: one batch and the end. */
const shortPieces = 2

/**
 * A JSON object with a long list. Its first batches are read before the answer begins, so that a failure is still answered; the
 * others are read as fast as the client reads: a slow client has a few batches in memory, not the whole list.
 * @param start the object up to and with the bracket of the list
 * @param end returns the rest of the object, from the closing bracket on, for the number of items
 */
export async function longList<T>(
  start: string,
  batches: AsyncIterable<readonly T[]>,
  toJson: (item: T) => string,
  end: (count: number) => string = () => ']}',
): Promise<LongJson> {
  const pieces = listPieces(start, batches, toJson, end)
  const first: Buffer[] = []
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
    first.push(next.value)
    if (first.length > shortPieces) return new LongJson(continued(first, pieces))
  }
  // The length of a short list is known.
  return new LongJson(first)
}

async function* continued(first: readonly Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* first
  yield* rest
}

/** @returns a piece for each batch, and one for the end */
async function* listPieces<T>(
  start: string,
  batches: AsyncIterable<readonly T[]>,
  toJson: (item: T) => string,
  end: (count: number) => string,
): AsyncGenerator<Buffer, void> {
  let before = start
  let count = 0
  for await (const batch of batches) {
    if (batch.length === 0) continue
    yield Buffer.from(before + batch.map(toJson).join(','))
    before = ','
    count += batch.length
  }
  yield Buffer.from((count === 0 ? start : '') + end(count))
}

/** Shorter bodies are not compressed: they fit in one packet. In bytes. */
const compressMin = 1400

/** Longer ones would block the event loop: 1 MB takes 20 ms. Who needs them compressed, compresses them in the thread pool. */
const compressMax = 500_000

const compress = {
  br: (body: Buffer) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (body: Buffer) => gzipSync(body),
}

/** A document that is built once, with the ETag of its bytes. It is compressed at the first request for a compressed form. */
export class Document {
  readonly body: Buffer
  readonly etag: string
  readonly #forms = new Map<Encoding, Document>()

  constructor(
    content: string | Buffer,
    readonly mediaType: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    this.body = Buffer.from(content)
    this.etag = `"${createHash('sha256').update(this.body).digest('base64url').slice(0, 27)}"`
  }

  /**
   * The form for a client, with its own ETag. Answers that are not to be stored stay as they are: one that has a secret beside input of
   * an attacker would tell the secret by its length (BREACH).
   * @param accepted by the client, the preferred one first
   */
  form([preferred = 'identity']: readonly Encoding[]): Document {
    const { length } = this.body
    // Its maker has chosen among forms.
    const isChosen = 'vary' in this.headers
    const isFit = length >= compressMin && length <= compressMax && this.headers['cache-control'] !== 'no-store'
    if (isChosen || !isFit) return this
    const known = this.#forms.get(preferred)
    if (known) return known
    const vary = { ...this.headers, vary: 'Accept-Encoding' }
    const form =
      preferred === 'identity'
        ? new Document(this.body, this.mediaType, vary)
        : new Document(compress[preferred](this.body), this.mediaType, { ...vary, 'content-encoding': preferred })
    this.#forms.set(preferred, form)
    return form
  }
}

/** 302 to another path of this server. */
export class Redirect {
  constructor(readonly location: string) {}
}

/** Bytes that are stored. `send-download.ts` answers HEAD, conditional requests and ranges without opening more than it sends. */
export class Download {
  constructor(readonly content: DownloadContent) {}
}

/** A text file that is made while the client reads it, so that its length is not known before. */
export class TextFile {
  /**
   * @param name the name to save it as, in ASCII
   * @param pieces each short enough not to block the event loop
   */
  constructor(
    readonly name: string,
    readonly mediaType: string,
    readonly pieces: AsyncIterable<string>,
  ) {}
}

/** Server-sent events (WHATWG HTML, section 9.2), without an end. `send-events.ts` sends them. */
export class EventStream {
  /**
   * @param open begins to write to the connection, now or later; resolves at the first write. Not called for HEAD
   * @throws ApiError to answer with an error: not after the first write
   */
  constructor(readonly open: (connection: EventConnection) => Promise<void>) {}
}

/** The connection of one stream of events. */
export interface EventConnection {
  /** False after its end, by whichever side. */
  readonly isOpen: boolean
  /** How many bytes the client has not taken yet. */
  readonly unsent: number
  /** Sends bytes, the first time with the head of the answer. No-op after the end. */
  readonly write: (bytes: Buffer) => void
  /** Resolves when the client has taken all bytes, or has left. */
  readonly drained: () => Promise<void>
  /** Ends the answer. */
  readonly end: () => void
  /** Ends the connection at once. */
  readonly drop: () => void
  /** Calls back once, after the end. */
  readonly onEnd: (run: () => void) => void
  /** Authenticates the caller of the request again, as at its beginning. @throws ApiError; any other error of the database */
  readonly authenticate: () => Promise<Caller>
}

/** What the headers of a download say. */
export interface DownloadDescription {
  /** 404 for a custom error page; conditions and ranges do not apply to it. */
  readonly status?: 404
  /** In bytes. */
  readonly size: number
  /** A strong entity tag with its quotation marks: equal for equal bytes only. */
  readonly etag: string
  /** Milliseconds since the epoch; undefined for an answer without Last-Modified. */
  readonly lastModified: number | undefined
  readonly mediaType: string
  /** The name to save it as. */
  readonly name: string
  /** Whether a browser may show it, or only save it; `none` for an answer without Content-Disposition. */
  readonly disposition: 'inline' | 'attachment' | 'none'
  readonly headers?: Readonly<Record<string, string>>
  /** False for an answer without ranges. */
  readonly acceptsRanges?: false
}

export interface DownloadContent extends DownloadDescription {
  /** On the host of the API, which otherwise sends attachments only: a document that the console shows in a frame. */
  readonly framedAs?: 'application/pdf'
  /** Opens a part. Not called if no bytes are sent: for HEAD, 304 and empty contents. */
  readonly open: (range: ByteRange) => Promise<Content>
  /** Called once, when the answer has ended or the client has left, with the bytes of the body that were sent. */
  readonly onSent?: (bytes: number) => void
}

/** The answer of an endpoint of the content host. It replaces the fixed headers of the same name. */
export interface EndpointAnswer {
  readonly status: number
  /** By lower-case name. Without a content-type, the body is plain text. Without a cache-control, `no-store`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** 404 of the API's host. */
export const unknownPath = () => new ApiError('not_found', 'No resource at this path. GET /v1 lists all endpoints.')

/** 404 of the content host and of sites. The same for all reasons, so that a client cannot tell them apart. */
export const nothingHere = () => new ApiError('not_found', 'There is nothing at this address.')

/** An error of the content host, as plain text. Its status is free, because only the API has a closed table of codes. */
export class ContentError extends Error {
  override readonly name = 'ContentError'

  /** @param message one sentence for the client, with a full stop */
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
  }
}
