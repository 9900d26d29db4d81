import type { Logger } from 'pino'
import type { Answerer } from './answer.js'
import { throttledLog } from '../../../shared/throttled-log.js'

/** Maximum octets of a packet that are logged. */
const loggedMax = 512

/** Answers SERVFAIL and logs the error when the Answerer throws, so that a bug in one answer does not end the process. */
export class SafeAnswers {
  private readonly logFailure: ReturnType<typeof throttledLog>

  constructor(
    private readonly answerer: Answerer,
    log: Logger,
  ) {
    this.logFailure = throttledLog(log, 'the nameserver could not answer a packet')
  }

  /** As `Answerer.answer`, but never throws. */
  answer(packet: Buffer, out: Buffer, base: number, limit: number, truncateOnly = false): number {
    try {
      return this.answerer.answer(packet, out, base, limit, truncateOnly)
    } catch (error) {
      this.logFailure(error, { packet: packet.toString('hex', 0, loggedMax) })
      return this.answerer.fail(packet, out, base)
    }
  }
}
