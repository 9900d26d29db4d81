import { dispatched } from '../ports/dns/embedded/query.js'
import { SafeAnswers } from '../ports/dns/embedded/safe-answers.js'

/** Answers from the zones, and counts the answers by their RCODE. */
export class CountedAnswers extends SafeAnswers {
  /** The answers so far, by RCODE. */
  readonly counts = new Float64Array(16)

  override answer(...args: Parameters<SafeAnswers['answer']>): number {
    const length = super.answer(...args)
    const [, out, base] = args
    if (length > 0 && length !== dispatched) {
      this.count((out[base + 3] ?? 0) & 0x0f)
    }
    return length
  }

  override countRefusal(code: number): void {
    this.count(code)
  }

  private count(code: number): void {
    this.counts[code] = (this.counts[code] ?? 0) + 1
  }
}
