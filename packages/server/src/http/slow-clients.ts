import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerLateBody } from './client-errors.js'
import type { HttpSocket } from './connections.js'
import type { Observe } from './observe.js'

/** How long a client may take, in milliseconds. */
export interface Deadlines {
  /** For the headers, from their first byte or, on a new connection, from its start. Node.js enforces it. */
  readonly headers: number
  /** Without sending one byte of the body, or reading one byte of the answer. */
  readonly idle: number
  /** For the whole body. */
  readonly body: number
  /** For reading the whole answer. */
  readonly answer: number
  /** How often connections are checked; a deadline may take effect this much late. */
  readonly sweep: number
}

export const defaultDeadlines: Deadlines = {
  headers: 20_000,
  idle: 20_000,
  body: 30_000,
  answer: 120_000,
  sweep: 1_000,
}

type Phase = 'between requests' | 'body' | 'work' | 'answer'

/** The state of a connection at its last check. */
interface Seen {
  readonly phase: Phase
  readonly response: ServerResponse | undefined
  readonly since: number
  readonly bytesWritten: number
  /** Changes whenever bytes move in the direction of the phase. */
  progress: number
  progressAt: number
}

/**
 * Ends connections whose clients send a body or read an answer too slowly. It checks all connections once a second: a timer for
 * each request would add to the cost of every request and hardly ever fire. Node.js ends idle connections and late headers
 * (`keepAliveTimeout`, `headersTimeout`).
 */
export class SlowClients {
  #seen = new Map<HttpSocket, Seen>()
  readonly #streams = new WeakSet<IncomingMessage>()
  readonly #timer: NodeJS.Timeout

  constructor(
    private readonly open: ReadonlySet<HttpSocket>,
    private readonly observe: Observe,
    private readonly limits: Deadlines,
  ) {
    this.#timer = setInterval(() => {
      this.#sweep(performance.now())
    }, limits.sweep).unref()
  }

  /** Exempts a request with bytes of any length from all limits but that of idle time. */
  allowStream(request: IncomingMessage): void {
    this.#streams.add(request)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #sweep(now: number): void {
    const seen = new Map<HttpSocket, Seen>()
    for (const socket of this.open) {
      const state = this.#look(socket, now)
      if (this.#isTooSlow(socket, state, now)) this.#end(socket, state)
      else seen.set(socket, state)
    }
    this.#seen = seen
  }

  #look(socket: HttpSocket, now: number): Seen {
    const { bytesWritten, _httpMessage: response = null } = socket
    const phase = phaseOf(socket)
    const before = this.#seen.get(socket)
    const isSame = before?.phase === phase && before.response === (response ?? undefined)
    // Between requests: a request may have been answered in the meantime, or no request was sent.
    const progress = phase === 'answer' ? bytesTaken(socket) : socket.bytesRead
    const isQuiet = bytesWritten !== before?.bytesWritten || progress === before.progress
    if (isSame && !(phase === 'between requests' && isQuiet)) {
      const hasMoved = progress !== before.progress || (phase === 'body' && isUnread(response))
      if (hasMoved && phase !== 'between requests') {
        before.progress = progress
        before.progressAt = now
      }
      return before
    }
    return { phase, response: response ?? undefined, since: now, bytesWritten, progress, progressAt: now }
  }

  #isTooSlow(socket: HttpSocket, { phase, since, progressAt }: Seen, now: number): boolean {
    const request = socket._httpMessage?.req
    const isStream = request !== undefined && this.#streams.has(request)
    switch (phase) {
      case 'body':
        return now - progressAt > this.limits.idle || (!isStream && now - since > this.limits.body)
      case 'answer':
        return now - progressAt > this.limits.idle || (!isStream && now - since > this.limits.answer)
      case 'between requests':
        // The rest of a body that was answered early, or empty lines before a request: both could continue forever.
        return now - since > this.limits.body
      case 'work':
        return false
    }
  }

  #end(socket: HttpSocket, { phase, response }: Seen): void {
    if (phase === 'body' && response?.headersSent === false) answerLateBody(socket, this.observe)
    else socket.destroy()
  }
}

function phaseOf({ _httpMessage: response, writableLength }: HttpSocket): Phase {
  if (!response) return 'between requests'
  if (response.writableEnded || (response.headersSent && writableLength > 0)) return 'answer'
  return response.req.complete ? 'work' : 'body'
}

/**
 * How many bytes the system has taken from Node.js. Not with `socket.setTimeout`: Node.js prolongs that timeout once, because a
 * part of the last write was taken before.
 */
const bytesTaken = ({ bytesWritten, _handle: handle }: HttpSocket): number =>
  bytesWritten - (handle?.writeQueueSize ?? 0) - (handle?._parent?.writeQueueSize ?? 0)

/** Whether the server has not yet read bytes of the body that have arrived: then the client is not the slow side. */
const isUnread = (response: HttpSocket['_httpMessage']): boolean => (response?.req.readableLength ?? 0) > 0
