import { once } from 'node:events'
import { createServer, isIPv6, type Server, type Socket } from 'node:net'
import type { Logger } from 'pino'
import { tcpMax } from './answer.js'
import type { SafeAnswers } from './safe-answers.js'
import { sparingLog } from './sparing-log.js'
import type { ClientLimits, TcpClients } from './tcp-clients.js'
import { prefix, TcpMessages } from './tcp-messages.js'
import type { TcpTurns } from './tcp-turns.js'

export interface TcpLimits extends ClientLimits {
  /** From one query to the next; bytes that make no whole query win no time (RFC 7766, section 6.2.3). */
  readonly idleMs: number
}

export const tcpLimits: TcpLimits = { idleMs: 10_000, connections: 1024, perNetwork: 128 }

export interface TcpOptions {
  readonly host: string
  readonly port: number
  readonly answers: SafeAnswers
  readonly log: Logger
  readonly idleMs: number
  /** The connections of all addresses together. */
  readonly clients: TcpClients
  readonly turns: TcpTurns
}

export interface TcpListener {
  close(): Promise<void>
}

/** Serves one address's connections. */
export async function openTcp(options: TcpOptions): Promise<TcpListener> {
  const { host, port, log, clients } = options
  // A client may end its side and still wait for answers (RFC 7766, section 6.2.4).
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
  const failed = sparingLog(log, 'the nameserver cannot take TCP connections')
  server.on('error', (error) => {
    failed(error, { host })
  })
  return { close: () => closed(server, clients) }
}

async function closed(server: Server, clients: TcpClients): Promise<void> {
  const done = once(server, 'close')
  server.close()
  clients.closeAll()
  await done
}

/** Queries of one connection that are answered before the other connections have their turn. */
const queriesPerTurn = 8

/** Answers are written here first: how long they get shows at the end. */
const desk = Buffer.alloc(prefix + tcpMax)

/** Queries come one after another and are answered in that order (RFC 7766, section 6.2.1). */
class Connection {
  private readonly messages = new TcpMessages()
  private ended = false
  private readonly timer: NodeJS.Timeout

  constructor(
    private readonly socket: Socket,
    private readonly options: TcpOptions,
  ) {
    const { idleMs, turns } = options
    this.timer = setTimeout(() => socket.destroy(), idleMs)
    socket.on('data', (chunk: Buffer) => {
      this.messages.push(chunk)
      if (!this.messages.hasWhole()) return
      // No more is read before this is answered.
      socket.pause()
      turns.add(this)
    })
    socket.on('drain', () => {
      turns.add(this)
    })
    socket.on('end', () => {
      this.ended = true
      turns.add(this)
    })
    socket.on('close', () => {
      clearTimeout(this.timer)
      turns.remove(this)
    })
  }

  /** Answers queries that have come whole, until the client does not take the answers. */
  work(): void {
    const { socket, messages, options } = this
    let answered = 0
    socket.cork()
    while (answered < queriesPerTurn && !socket.destroyed && !socket.writableNeedDrain) {
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
    if (socket.writableNeedDrain) return
    if (messages.hasWhole()) options.turns.add(this)
    else if (this.ended) socket.end()
    else socket.resume()
  }

  private answer(query: Buffer): void {
    const length = this.options.answers.answer(query, desk, prefix, tcpMax)
    if (length === 0) {
      // No query at all: nothing that follows it can be trusted to be one.
      this.socket.destroy()
      return
    }
    desk.writeUInt16BE(length, 0)
    this.socket.write(Buffer.from(desk.subarray(0, prefix + length)))
  }
}
