import type { Logger } from 'pino'
import type { Answerer } from './answer.js'

/** A fault of ours in one answer is no reason to leave the others without: it is SERVFAIL and a line in the log. */
export class SafeAnswers {
  constructor(
    private readonly answerer: Answerer,
    private readonly log: Logger,
  ) {}

  /** As Answerer's. */
  answer(packet: Buffer, out: Buffer, base: number, limit: number, silent = false): number {
    try {
      return this.answerer.answer(packet, out, base, limit, silent)
    } catch (error) {
      this.log.error({ err: error, packet: packet.toString('hex') }, 'the nameserver could not answer a packet')
      return this.answerer.fail(packet, out, base)
    }
  }
}
