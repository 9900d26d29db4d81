import type { Logger } from 'pino'
import type { Answerer } from './answer.js'
import { sparingLog } from './sparing-log.js'

/** Octets of a packet that are logged. */
const loggedMax = 512

/** A fault of ours in one answer is no reason to leave the others without: it is SERVFAIL and a line in the log. */
export class SafeAnswers {
  private readonly failed: ReturnType<typeof sparingLog>

  constructor(
    private readonly answerer: Answerer,
    log: Logger,
  ) {
    this.failed = sparingLog(log, 'the nameserver could not answer a packet')
  }

  /** As Answerer's. */
  answer(packet: Buffer, out: Buffer, base: number, limit: number, silent = false): number {
    try {
      return this.answerer.answer(packet, out, base, limit, silent)
    } catch (error) {
      this.failed(error, { packet: packet.toString('hex', 0, loggedMax) })
      return this.answerer.fail(packet, out, base)
    }
  }
}
