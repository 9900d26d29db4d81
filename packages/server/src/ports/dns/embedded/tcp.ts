import { once } from 'node:events'
import { createServer, isIPv6, type Server, type Socket } from 'node:net'
import type { Logger } from 'pino'
import { tcpMax } from './answer.js'
import type { SafeAnswers } from './safe-answers.js'

export interface TcpLimits {
  /** From one query to the next; bytes that make no whole query win no time (RFC 7766, section 6.2.3). */
  readonly idleMs: number
  readonly connections: number
  /** Of these, how many one client may hold. */
  readonly perClient: number
}

export const tcpLimits: TcpLimits = { idleMs: 10_000, connections: 1024, perClient: 128 }

export interface TcpOptions {
  readonly host: string
  readonly port: number
  readonly answers: SafeAnswers
  readonly log: Logger
  readonly limits: TcpLimits
}

export interface TcpListener {
  close(): Promise<void>
}

/** Serves one address's connections. */
export async function openTcp({ host, port, answers, log, limits }: TcpOptions): Promise<TcpListener> {
  const clients = new Clients(limits.perClient)
  // A client may end its side and still wait for answers (RFC 7766, section 6.2.4).
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
    socket.on('error', (error) => {
      log.debug({ err: error }, 'a TCP connection of the nameserver broke')
    })
    if (clients.admit(socket)) new Connection(socket, answers, limits.idleMs)
  })
  server.maxConnections = limits.connections
  const opened = once(server, 'listening')
  server.listen({ host, port, ipv6Only: isIPv6(host), exclusive: true })
  await opened
  server.on('error', (error) => {
    log.error({ err: error, host }, 'the nameserver cannot take TCP connections')
  })
  return { close: () => closed(server, clients) }
}

async function closed(server: Server, clients: Clients): Promise<void> {
  const done = once(server, 'close')
  server.close()
  clients.disconnect()
  await done
}

/** Who is connected. */
class Clients {
  private readonly sockets = new Set<Socket>()
  private readonly counts = new Map<string, number>()

  constructor(private readonly perClient: number) {}

  /** Nobody gets all the connections. @returns whether the client may have one more */
  admit(socket: Socket): boolean {
    const client = socket.remoteAddress
    const count = client === undefined ? this.perClient : (this.counts.get(client) ?? 0)
    if (client === undefined || count >= this.perClient) {
      socket.destroy()
      return false
    }
    this.counts.set(client, count + 1)
    this.sockets.add(socket)
    socket.once('close', () => {
      this.sockets.delete(socket)
      const left = (this.counts.get(client) ?? 1) - 1
      if (left > 0) this.counts.set(client, left)
      else this.counts.delete(client)
    })
    return true
  }

  disconnect(): void {
    for (const socket of this.sockets) socket.destroy()
  }
}

/** Octets of the length before each message (RFC 1035, section 4.2.2). */
const prefix = 2

/** Answers are written here first: how long they get shows at the end. */
const desk = Buffer.alloc(prefix + tcpMax)

/** Queries come one after another and are answered in that order (RFC 7766, section 6.2.1). */
class Connection {
  /** What has come and is not answered. */
  private waiting: Buffer = Buffer.alloc(0)
  private ended = false
  private readonly timer: NodeJS.Timeout

  constructor(
    private readonly socket: Socket,
    private readonly answers: SafeAnswers,
    idleMs: number,
  ) {
    this.timer = setTimeout(() => socket.destroy(), idleMs)
    socket.on('data', (chunk: Buffer) => {
      this.waiting = this.waiting.length === 0 ? chunk : Buffer.concat([this.waiting, chunk])
      this.work()
    })
    socket.on('drain', () => {
      socket.resume()
      this.work()
    })
    socket.on('end', () => {
      this.ended = true
      this.work()
    })
    socket.on('close', () => {
      clearTimeout(this.timer)
    })
  }

  /** Answers what has come whole, until the client does not take the answers. */
  private work(): void {
    const { socket } = this
    let at = 0
    socket.cork()
    while (!socket.destroyed && !socket.writableNeedDrain && this.waiting.length - at >= prefix) {
      const end = at + prefix + this.waiting.readUInt16BE(at)
      if (end > this.waiting.length) break
      this.answer(this.waiting.subarray(at + prefix, end))
      at = end
    }
    this.waiting = this.waiting.subarray(at)
    socket.uncork()
    if (socket.writableNeedDrain) socket.pause()
    else if (this.ended && !socket.destroyed) socket.end()
  }

  private answer(query: Buffer): void {
    const length = this.answers.answer(query, desk, prefix, tcpMax)
    if (length === 0) {
      // No query at all: nothing that follows it can be trusted to be one.
      this.socket.destroy()
      return
    }
    desk.writeUInt16BE(length, 0)
    this.socket.write(Buffer.from(desk.subarray(0, prefix + length)))
    this.timer.refresh()
  }
}
