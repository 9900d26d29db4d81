import { createHash } from 'node:crypto'

/** Results of a handler other than plain `data`. */

/** `data` of an operation, with further response headers. */
export class WithHeaders<T> {
  constructor(
    readonly data: T,
    readonly headers: Readonly<Record<string, string>>,
  ) {}
}

/**
 * `data` of an operation as finished JSON, such as a long list that the database has written. It is sent as it is, not through
 * the declared schema: this is the exception to "nothing undeclared gets out", and the handler must guarantee it. The contract
 * walk compares the answers with the schema.
 */
export class RawJson {
  constructor(readonly json: string) {}
}

/** The same in pieces of UTF-8 that are sent one after another, each short enough not to block the event loop. */
export class LongJson {
  constructor(readonly pieces: readonly Buffer[]) {}
}

/** A document that is built once, with the ETag of its bytes. */
export class Document {
  readonly body: Buffer
  readonly etag: string

  constructor(
    content: string | Buffer,
    readonly mediaType: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    this.body = Buffer.from(content)
    this.etag = `"${createHash('sha256').update(this.body).digest('base64url').slice(0, 27)}"`
  }
}

/** 302 to another path of this server. */
export class Redirect {
  constructor(readonly location: string) {}
}
