import { createSocket, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import type { Logger } from 'pino'
import type { TsigKey } from '../../ports/dns/wire/tsig.js'
import { answerRecords, leftOut } from '../wire/records.js'
import { serialOf } from '../wire/soa.js'
import { RefusedAnswer } from '../wire/refused-answer.js'
import { question, verified } from './question.js'
import type { PrimaryAddress } from './address.js'

/** The answer must be asked for over TCP (RFC 1035, section 4.2.1). */
export class TruncatedAnswer extends RefusedAnswer {}

/** No answer over UDP, or none that can be trusted. */
export class NoAnswer extends RefusedAnswer {}

/** Asks the primary for the serials of zones, over one UDP socket. */
export class SerialPoller {
  private socket: Socket | undefined
  private readonly waiting = new Map<number, (packet: Buffer) => void>()

  constructor(
    private readonly primary: PrimaryAddress,
    private readonly key: TsigKey,
    private readonly waitsMs: readonly number[],
    private readonly log: Logger,
  ) {}

  /**
   * @param zone the key of the zone
   * @returns the serial as a signed 32-bit integer
   * @throws RefusedAnswer, which is NoAnswer after all attempts
   */
  async serial(zone: string, signal: AbortSignal): Promise<number> {
    let problem = 'The primary does not answer over UDP.'
    for (const ms of this.waitsMs) {
      signal.throwIfAborted()
      const answer = await this.attempt(zone, ms, (error) => (problem = error.message))
      if (answer !== undefined) return serialIn(answer, zone)
    }
    throw new NoAnswer(problem)
  }

  close(): void {
    this.socket?.close()
    this.socket = undefined
  }

  /** @param onRefused called for messages that are not a verified answer: a forged one must not end the attempt */
  private attempt(zone: string, ms: number, onRefused: (error: Error) => void): Promise<Buffer | undefined> {
    const asked = question(zone, { type: 'SOA' }, this.key)
    // Another question with this id is waiting.
    if (this.waiting.has(asked.id)) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const settle = (answer: Buffer | undefined) => {
        clearTimeout(timer)
        this.waiting.delete(asked.id)
        resolve(answer)
      }
      const timer = setTimeout(settle, ms, undefined)
      this.waiting.set(asked.id, (packet) => {
        try {
          settle(verified(packet, asked))
        } catch (error) {
          onRefused(error as Error)
        }
      })
      this.open().send(asked.packet, this.primary.port, this.primary.host, (error) => {
        if (error !== null) onRefused(error)
      })
    })
  }

  private open(): Socket {
    if (this.socket !== undefined) return this.socket
    const { host, port } = this.primary
    const socket = createSocket({
      type: isIPv6(host) ? 'udp6' : 'udp4',
      // The address needs no look-up.
      lookup: (address, _options, done) => {
        done(null, address, 0)
      },
    })
    socket.on('message', (packet, from) => {
      if (from.port === port && packet.length >= 2) this.waiting.get(packet.readUInt16BE(0))?.(packet)
    })
    socket.on('error', (err) => {
      this.log.warn({ err }, 'the UDP socket for questions to the primary failed')
      this.close()
    })
    socket.unref()
    return (this.socket = socket)
  }
}

function serialIn(message: Buffer, zone: string): number {
  if ((message.readUInt8(2) & 0x02) !== 0) throw new TruncatedAnswer('The answer is truncated.')
  for (const record of answerRecords(message, zone)) return serialOf(record === leftOut ? undefined : record)
  throw new RefusedAnswer('The answer has no SOA.')
}
