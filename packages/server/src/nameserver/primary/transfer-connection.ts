import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { prefixLength, TcpMessages } from '../../ports/dns/embedded/tcp-messages.js'
import { UntrustedAnswer, type TsigKey } from '../../ports/dns/wire/tsig.js'
import type { Limits } from '../limits.js'
import { RefusedAnswer } from '../wire/refused-answer.js'
import type { PrimaryAddress } from './address.js'
import { question, verified, type Asked } from './question.js'

/** The primary cannot be reached over TCP, or answers too slowly: no other question would be answered now. */
export class NoConnection extends RefusedAnswer {}

/** The connection ended before the first message of the answer: a primary may close one that was idle. */
class ConnectionEnded extends NoConnection {}

export interface Exchange<R> {
  /** The key of the zone. */
  readonly zone: string
  readonly asked: Asked
  /** Takes one verified message. @returns the outcome after the last one */
  readonly take: (message: Buffer) => R | undefined
  /** Waits until a large answer may go on. @returns what ends the wait for others */
  readonly large: () => Promise<() => void>
  readonly signal: AbortSignal
}

/** A connection to the primary, over which answers follow one another (RFC 5936, section 4.1.1). */
export class TransferConnection {
  private socket: Socket | undefined
  private chunks: AsyncIterator<Buffer> | undefined
  private messages = new TcpMessages()

  constructor(
    private readonly primary: PrimaryAddress,
    private readonly key: TsigKey,
    private readonly limits: Pick<Limits, 'connectMs' | 'idleMs' | 'transferMs' | 'transferBytes' | 'largeBytes'>,
  ) {}

  /** Asks, and reads the whole answer. After an error, the next call opens a new connection. @throws RefusedAnswer, Error of the socket */
  async exchange<R>(exchange: Exchange<R>): Promise<R> {
    const isReused = this.socket !== undefined
    const taken = { messages: 0 }
    const take = (message: Buffer) => {
      taken.messages++
      return exchange.take(message)
    }
    try {
      return await this.ask({ ...exchange, take })
    } catch (error) {
      this.close()
      const hasEnded =
        error instanceof ConnectionEnded || !(error instanceof RefusedAnswer || error instanceof UntrustedAnswer)
      // What has taken a part of an answer must not take the beginning of another one.
      if (!isReused || !hasEnded || taken.messages > 0 || exchange.signal.aborted) throw error
    }
    try {
      return await this.ask(exchange)
    } catch (error) {
      this.close()
      throw error
    }
  }

  close(): void {
    this.socket?.destroy()
    this.socket = undefined
    this.chunks = undefined
    this.messages = new TcpMessages()
  }

  private async ask<R>(exchange: Exchange<R>): Promise<R> {
    const { signal } = exchange
    const socket = (this.socket ??= await this.open(signal))
    const abort = () => socket.destroy(new NoConnection('The transfer takes too long.'))
    const deadline = setTimeout(abort, this.limits.transferMs)
    signal.addEventListener('abort', abort)
    try {
      return await this.read(socket, exchange)
    } finally {
      clearTimeout(deadline)
      signal.removeEventListener('abort', abort)
    }
  }

  private async read<R>(socket: Socket, { zone, asked, take, large }: Exchange<R>): Promise<R> {
    const sent = question(zone, asked, this.key)
    const prefix = Buffer.alloc(prefixLength)
    prefix.writeUInt16BE(sent.packet.length)
    socket.write(Buffer.concat([prefix, sent.packet]))
    let received = 0
    let release: (() => void) | undefined
    try {
      for (;;) {
        const message = await this.message(received === 0)
        received += message.length
        if (received > this.limits.transferBytes)
          throw new RefusedAnswer(`The transfer has more than ${this.limits.transferBytes} octets.`)
        const outcome = take(verified(message, sent))
        if (outcome !== undefined) {
          if (!sent.verifier.isSigned) throw new RefusedAnswer('The last message of the answer is not signed.')
          return outcome
        }
        if (received > this.limits.largeBytes) release ??= await this.wait(socket, large)
        // Questions are answered between two messages.
        await nextTurn()
      }
    } finally {
      release?.()
    }
  }

  /** Waits for others, during which the connection may be idle. */
  private async wait(socket: Socket, large: () => Promise<() => void>): Promise<() => void> {
    socket.setTimeout(0)
    const release = await large()
    socket.setTimeout(this.limits.idleMs)
    return release
  }

  private async message(isFirst: boolean): Promise<Buffer> {
    for (;;) {
      const message = this.messages.take()
      if (message !== undefined) return message
      const next = await this.chunks?.next()
      if (next === undefined || next.done === true) {
        const Problem = isFirst ? ConnectionEnded : NoConnection
        throw new Problem('The primary closes the connection before the end of the answer.')
      }
      this.messages.compact()
      this.messages.push(next.value)
    }
  }

  private async open(signal: AbortSignal): Promise<Socket> {
    const { host, port } = this.primary
    const socket = connect({ host, port, noDelay: true })
    // The iterator reports errors of an exchange; those of an idle connection end it only.
    socket.on('error', () => undefined)
    socket.once('close', () => {
      if (this.socket === socket) this.close()
    })
    const late = () => socket.destroy(new NoConnection('The primary does not accept connections in time.'))
    const timer = setTimeout(late, this.limits.connectMs)
    try {
      await once(socket, 'connect', { signal })
    } catch (error) {
      socket.destroy()
      throw error
    } finally {
      clearTimeout(timer)
    }
    socket.setTimeout(this.limits.idleMs, () => {
      socket.destroy(new NoConnection('The primary sends nothing.'))
    })
    this.chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    this.messages = new TcpMessages()
    return socket
  }
}
