import { createHash } from 'node:crypto'

/** What a handler may return beside plain `data`. */

/** `data` of an operation with response headers of its own. */
export class WithHeaders<T> {
  constructor(
    readonly data: T,
    readonly headers: Readonly<Record<string, string>>,
  ) {}
}

/** `data` of an operation that is JSON already: a long list that the database has written itself. */
export class RawJson {
  constructor(readonly json: string) {}
}

/** The same in pieces of UTF-8, sent one after another: each is short enough not to block the event loop. */
export class LongJson {
  constructor(readonly pieces: readonly Buffer[]) {}
}

/** A document built once: its bytes, what they are, and the ETag that says whether a client has them already. */
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

/** 302 to another address of this server. */
export class Redirect {
  constructor(readonly location: string) {}
}
