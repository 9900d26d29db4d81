import type { Logger } from 'pino'
import { Slots } from '../../shared/slots.js'
import type { TsigKey } from '../../ports/dns/wire/tsig.js'
import { recordHead } from '../../ports/dns/embedded/stored.js'
import type { ZoneMap } from '../../ports/dns/embedded/zone-map.js'
import type { Limits } from '../limits.js'
import { RefusedAnswer } from '../wire/refused-answer.js'
import { TransferReader, type Transferred } from '../zones/transfer-reader.js'
import { answerRecords, leftOut } from '../wire/records.js'
import { serialOf } from '../wire/soa.js'
import type { PrimaryAddress } from './address.js'
import { NoAnswer, SerialPoller, TruncatedAnswer } from './serial-poller.js'
import { NoConnection, TransferConnection } from './transfer-connection.js'
import type { Asked } from './question.js'

/** Milliseconds after a failure over TCP during which serials are asked for over UDP only: each attempt could take seconds. */
const noTcpMs = 30_000

/** How a transfer ended, for metrics. */
export type TransferKind = 'axfr' | 'ixfr' | 'current' | 'failed'

const kinds = { current: 'current', changes: 'ixfr', whole: 'axfr' } as const

export interface PrimaryOptions {
  readonly address: PrimaryAddress
  readonly key: TsigKey
  readonly limits: Limits
  readonly log: Logger
  readonly count: (kind: TransferKind) => void
}

/** Whether an error is about a received answer, not about the connection to the primary. */
const isAnswer = (error: unknown): error is RefusedAnswer =>
  error instanceof RefusedAnswer && !(error instanceof NoConnection)

/** Asks the primary nameserver for serials and zones. */
export class Primary {
  private readonly poller: SerialPoller
  private readonly connections: TransferConnection[] = []
  private readonly slots: Slots
  private readonly large = new Slots(1, Infinity)
  private readonly closing = new AbortController()
  private tcpFailedAt = -Infinity

  constructor(private readonly options: PrimaryOptions) {
    const { address, key, limits, log } = options
    this.poller = new SerialPoller(address, key, limits.udpMs, log)
    this.slots = new Slots(limits.transfers, Infinity)
  }

  /**
   * The serial of a zone at the primary, as a signed 32-bit integer. Asks over TCP if there is no usable answer over UDP.
   * @param zone the key of the zone
   * @throws Error
   */
  async serial(zone: string): Promise<number> {
    try {
      return await this.poller.serial(zone, this.closing.signal)
    } catch (error) {
      const hasFailed = performance.now() - this.tcpFailedAt < noTcpMs
      if (!(error instanceof TruncatedAnswer || (error instanceof NoAnswer && !hasFailed))) throw error
      return this.exchange(zone, { type: 'SOA' }, (message) => {
        for (const record of answerRecords(message, zone)) return serialOf(record === leftOut ? undefined : record)
        throw new RefusedAnswer('The answer has no SOA.')
      })
    }
  }

  /**
   * Transfers what has changed since the copy, or the whole zone.
   * @param copy undefined for the whole zone
   * @throws Error
   */
  async transfer(zone: string, copy: ZoneMap | undefined): Promise<Transferred> {
    try {
      const transferred = await this.changes(zone, copy)
      this.options.count(kinds[transferred.kind])
      return transferred
    } catch (error) {
      this.options.count('failed')
      throw error
    }
  }

  /** Ends all waits. */
  close(): void {
    this.closing.abort()
    this.poller.close()
    for (const connection of this.connections) connection.close()
  }

  private async changes(zone: string, copy: ZoneMap | undefined): Promise<Transferred> {
    if (copy?.apex === undefined) return this.ask(zone, undefined, { type: 'AXFR' })
    const { bytes, start, end } = copy.apex.soa
    try {
      return await this.ask(zone, copy, { type: 'IXFR', soa: bytes.subarray(start + recordHead, end) })
    } catch (error) {
      // Only what an AXFR could do better: the primary does not know IXFR, or its changes do not fit.
      if (!isAnswer(error)) throw error
      this.options.log.info(
        { zone: copy.name, reason: error.message },
        'an incremental transfer is repeated as a whole one',
      )
      return this.ask(zone, undefined, { type: 'AXFR' })
    }
  }

  private ask(zone: string, copy: ZoneMap | undefined, asked: Asked): Promise<Transferred> {
    const reader = new TransferReader(zone, copy, this.options.limits)
    return this.exchange(zone, asked, (message) => reader.take(message))
  }

  private async exchange<R>(zone: string, asked: Asked, take: (message: Buffer) => R | undefined): Promise<R> {
    const { signal } = this.closing
    if (!(await this.slots.take(Infinity))) throw new RefusedAnswer('Too many transfers wait.')
    const { address, key, limits } = this.options
    const connection = this.connections.pop() ?? new TransferConnection(address, key, limits)
    try {
      signal.throwIfAborted()
      const outcome = await connection.exchange({ zone, asked, take, large: () => this.takeLarge(), signal })
      this.tcpFailedAt = -Infinity
      return outcome
    } catch (error) {
      if (!isAnswer(error)) this.tcpFailedAt = performance.now()
      throw error
    } finally {
      this.connections.push(connection)
      this.slots.release()
    }
  }

  private async takeLarge(): Promise<() => void> {
    if (!(await this.large.take(Infinity))) throw new RefusedAnswer('Too many large transfers wait.')
    return () => {
      this.large.release()
    }
  }
}
