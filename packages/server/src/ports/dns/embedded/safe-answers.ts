import type { Logger } from 'pino'
import { tcpMax, type Answerer } from './answer.js'
import { outcomeOfCode } from './query-counter.js'
import { udpMax } from './reply.js'
import type { PlainAnswers } from '../protocol/dispatcher.js'
import { throttledLog } from '../../../shared/throttled-log.js'

/** Maximum octets of a packet that are logged. */
const loggedMax = 512

/** Answers are written here first, because their length is known only at the end. */
const scratch = Buffer.alloc(tcpMax)

/** Answers SERVFAIL and logs the error when the Answerer throws, so that a bug in one answer does not end the process. */
export class SafeAnswers implements PlainAnswers {
  private readonly logFailure: ReturnType<typeof throttledLog>

  constructor(
    private readonly answerer: Answerer,
    log: Logger,
  ) {
    this.logFailure = throttledLog(log, 'the nameserver could not answer a packet')
  }

  /** As `Answerer.answer`, but never throws. */
  answer(packet: Buffer, out: Buffer, base: number, limit: number, truncateOnly = false, reserved = 0): number {
    try {
      return this.answerer.answer(packet, out, base, limit, truncateOnly, reserved)
    } catch (error) {
      this.logFailure(error, { packet: packet.toString('hex', 0, loggedMax) })
      return this.answerer.fail(packet, out, base, limit)
    }
  }

  whole(packet: Buffer, transport: 'udp' | 'tcp', reserved: number): Buffer | undefined {
    const limit = transport === 'udp' ? udpMax : tcpMax
    const length = this.answer(packet, scratch, 0, limit, false, reserved)
    return length > 0 ? Buffer.from(scratch.subarray(0, length)) : undefined
  }

  refusal(packet: Buffer, code: number): Buffer {
    return Buffer.from(scratch.subarray(0, this.answerer.refuse(packet, scratch, code)))
  }

  countRefusal(code: number, transport: 'udp' | 'tcp'): void {
    this.answerer.counts.add(undefined, outcomeOfCode(code), transport === 'udp')
  }
}
