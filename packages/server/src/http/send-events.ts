import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../shared/account.js'
import type { EventConnection, EventStream } from './answer.js'
import { whenEnded, whenNext } from './bytes-out/when-ended.js'
import { refusePreconditions } from './conditions.js'
import type { Authenticator } from './door.js'
import { noBody } from './send.js'

/** A connection that has ended a stream serves nothing more: the stop of the server would wait for it. */
const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // nginx passes on what it gets at once, instead of filling a buffer.
  'x-accel-buffering': 'no',
  connection: 'close',
}

/**
 * Sends events until the area, the client or the stop of the server ends the stream.
 * @throws ApiError instead of the first event
 */
export async function sendEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  events: EventStream,
  authenticate: Authenticator | undefined,
): Promise<FastifyReply> {
  refusePreconditions(request.headers)
  if (request.method === 'HEAD') return reply.headers(headers).send(noBody(request))
  // Of several streams that a client asks for on one connection, only the first is sent.
  await whenNext(request, reply)
  const connection = new Connection(request, reply, authenticate)
  if (connection.isOpen) await events.open(connection)
  return reply.hijack()
}

class Connection implements EventConnection {
  #isOpen = true
  #hasEnded = false
  readonly #ends: (() => void)[] = []
  readonly #raw: ServerResponse

  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
    private readonly authenticator: Authenticator | undefined,
  ) {
    this.#raw = reply.raw
    whenEnded(request, reply, () => {
      this.#isOpen = false
      this.#hasEnded = true
      for (const run of this.#ends.splice(0)) run()
    })
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  get unsent(): number {
    return this.#raw.writableLength
  }

  write(bytes: Buffer): void {
    if (!this.#isOpen) return
    this.#writeHead()
    this.#raw.write(bytes)
  }

  drained(): Promise<void> {
    const raw = this.#raw
    if (!this.#isOpen || !raw.writableNeedDrain) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        raw.off('drain', done).off('close', done)
        resolve()
      }
      raw.on('drain', done).on('close', done)
    })
  }

  end(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#writeHead()
    this.#raw.end()
  }

  drop(): void {
    this.#isOpen = false
    this.#raw.destroy()
  }

  onEnd(run: () => void): void {
    if (this.#hasEnded) run()
    else this.#ends.push(run)
  }

  #writeHead(): void {
    if (this.#raw.headersSent) return
    this.#raw.writeHead(200, { ...(this.reply.getHeaders() as OutgoingHttpHeaders), ...headers })
  }

  async authenticate(): Promise<Caller> {
    await this.authenticator?.(this.request)
    if (this.request.caller === null) throw new Error('A public operation has no caller.')
    return this.request.caller
  }
}
