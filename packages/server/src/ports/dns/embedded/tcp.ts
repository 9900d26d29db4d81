import { once } from 'node:events'
import { createServer, isIPv6, type Server, type Socket } from 'node:net'
import type { Logger } from 'pino'
import { tcpMax } from './answer.js'
import { dispatched } from './query.js'
import { isRefused } from './reply.js'
import type { SafeAnswers } from './safe-answers.js'
import type { ClientLimits, TcpClients } from './tcp-clients.js'
import { prefixLength, TcpMessages } from './tcp-messages.js'
import type { Task, TcpScheduler } from './tcp-scheduler.js'
import type { Dispatcher } from '../protocol/dispatcher.js'
import { throttledLog } from '../../../shared/throttled-log.js'

export interface TcpLimits extends ClientLimits {
  /** Maximum milliseconds from one query to the next. Octets of an incomplete query do not extend it (RFC 7766, section 6.2.3). */
  readonly idleMs: number
}

export const tcpLimits: TcpLimits = { idleMs: 10_000, connections: 1024, perNetwork: 128 }

export interface TcpOptions {
  readonly host: string
  readonly port: number
  readonly answers: SafeAnswers
  readonly dispatcher: Dispatcher
  readonly log: Logger
  readonly idleMs: number
  /** The connections of all listening addresses together. */
  readonly clients: TcpClients
  readonly scheduler: TcpScheduler
}

export interface TcpListener {
  close(): Promise<void>
}

/** Listens on one address and serves its connections. */
export async function openTcp(options: TcpOptions): Promise<TcpListener> {
  const { host, port, log, clients } = options
  // A client may close its side of a connection and still wait for answers (RFC 7766, section 6.2.4).
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
    socket.on('error', (error) => {
      log.debug({ err: error }, 'a TCP connection of the nameserver broke')
    })
    if (!clients.add(socket)) {
      socket.destroy()
      return
    }
    socket.once('close', () => {
      clients.remove(socket)
    })
    new Connection(socket, options)
  })
  const opened = once(server, 'listening')
  server.listen({ host, port, ipv6Only: isIPv6(host), exclusive: true })
  await opened
  const logFailure = throttledLog(log, 'the nameserver cannot take TCP connections')
  server.on('error', (error) => {
    logFailure(error, { host })
  })
  return { close: () => closeServer(server, clients) }
}

async function closeServer(server: Server, clients: TcpClients): Promise<void> {
  const done = once(server, 'close')
  server.close()
  clients.closeAll()
  await done
}

/** Maximum number of queries that one slice answers. */
const queriesPerSlice = 8

/** Answers are written here first, because their length is known only at the end. */
const replyBuffer = Buffer.alloc(prefixLength + tcpMax)

/** Answers the queries of one connection in the order of their arrival (RFC 7766, section 6.2.1). */
class Connection implements Task {
  private readonly messages = new TcpMessages()
  private hasEnded = false
  /** Whether the dispatcher is answering a message: the next one is taken afterwards. */
  private isDispatching = false
  private readonly closed = new AbortController()
  private readonly timer: NodeJS.Timeout

  constructor(
    private readonly socket: Socket,
    private readonly options: TcpOptions,
  ) {
    const { idleMs, scheduler } = options
    this.timer = setTimeout(() => socket.destroy(), idleMs)
    socket.on('data', (chunk: Buffer) => {
      this.messages.push(chunk)
      if (!this.messages.hasWhole()) return
      // Read no more before the answer is sent.
      socket.pause()
      scheduler.add(this)
    })
    socket.on('drain', () => {
      scheduler.add(this)
    })
    socket.on('end', () => {
      this.hasEnded = true
      scheduler.add(this)
    })
    socket.on('close', () => {
      clearTimeout(this.timer)
      scheduler.remove(this)
      this.closed.abort()
    })
  }

  /** Answers whole queries, until the limit of a slice or while the client does not read its answers. */
  runSlice(): void {
    if (this.isDispatching) return
    const { socket, messages, options } = this
    let answered = 0
    socket.cork()
    while (answered < queriesPerSlice && !socket.destroyed && this.mayContinue()) {
      const query = messages.take()
      if (query === undefined) break
      this.answer(query)
      answered++
    }
    socket.uncork()
    if (socket.destroyed) return
    if (answered > 0) {
      this.timer.refresh()
      options.clients.touch(socket)
    }
    messages.compact()
    if (!this.mayContinue()) return
    if (messages.hasWhole()) options.scheduler.add(this)
    else if (this.hasEnded) socket.end()
    else socket.resume()
  }

  private mayContinue(): boolean {
    return !this.socket.writableNeedDrain && !this.isDispatching
  }

  private answer(query: Buffer): void {
    const length = this.options.answers.answer(query, replyBuffer, prefixLength, tcpMax)
    const { remoteAddress = '' } = this.socket
    const isPrivate =
      length > 0 && isRefused(replyBuffer, prefixLength) && this.options.dispatcher.mayAnswer(remoteAddress)
    if (length === dispatched || isPrivate) {
      const plain = isPrivate ? Buffer.from(replyBuffer.subarray(prefixLength, prefixLength + length)) : undefined
      void this.dispatch(Buffer.from(query), plain)
      return
    }
    if (length === 0) {
      // The message is not a query, so the rest of the stream cannot be trusted either.
      this.socket.destroy()
      return
    }
    replyBuffer.writeUInt16BE(length, 0)
    this.socket.write(Buffer.from(replyBuffer.subarray(0, prefixLength + length)))
  }

  /** Answers a message that takes time. The connection reads nothing until then. @param plain as of the dispatcher's `Received` */
  private async dispatch(packet: Buffer, plain: Buffer | undefined): Promise<void> {
    const { socket, options } = this
    this.isDispatching = true
    const { remoteAddress: address = '', remotePort: port = 0 } = socket
    await options.dispatcher.receive({
      packet,
      client: { address, port, transport: 'tcp' },
      send: (reply) => this.send(reply),
      closed: this.closed.signal,
      end: () => socket.destroy(),
      plain,
    })
    this.isDispatching = false
    if (socket.destroyed) return
    this.timer.refresh()
    options.scheduler.add(this)
  }

  /** Writes one message of an answer. @throws Error if the connection closes before the socket takes more */
  private async send(reply: Buffer): Promise<void> {
    const { socket, closed } = this
    if (socket.destroyed) {
      // Its event comes later: until then, the end of the connection would look like a failure of the answer.
      closed.abort()
      throw new Error('The connection has closed.')
    }
    const prefix = Buffer.alloc(prefixLength)
    prefix.writeUInt16BE(reply.length)
    socket.cork()
    socket.write(prefix)
    const mayGoOn = socket.write(reply)
    socket.uncork()
    if (!mayGoOn) await once(socket, 'drain', { signal: closed.signal })
    // Only what the client has read extends the time: one that stops reading is disconnected.
    this.timer.refresh()
    this.options.clients.touch(socket)
  }
}
