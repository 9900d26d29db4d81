import { LRUCache } from 'lru-cache'
import type { Job } from '../../../shared/job.js'
import type { SecondaryStore, ToldRow } from './store.js'

/** How often the job looks, and how long after a write the next one for the same secondary follows, in milliseconds. */
const everyMs = 2_000
const otherAnswerMs = 10_000
const sameAnswerMs = 60_000

/** Secondaries whose results are kept. */
const keptMax = 10_000

const failureMessage = 'the answers of the secondaries of accounts could not be saved'

/** Saves how the last NOTIFY to each secondary ended: soon after another answer than before, and otherwise once a minute. */
export class ToldResults {
  private readonly waiting = new Map<number, ToldRow>()
  private readonly saved = new LRUCache<number, { readonly answer: string; readonly at: number }>({ max: keptMax })
  readonly job: Job = {
    name: 'dns.secondary-answers',
    everyMs,
    runsIn: 'every process',
    failureMessage,
    run: () => this.save((row) => this.isDue(row)),
  }

  constructor(private readonly store: Pick<SecondaryStore, 'saveTold'>) {}

  add(row: ToldRow): void {
    if (this.waiting.size < keptMax || this.waiting.has(row.id)) this.waiting.set(row.id, row)
  }

  /** Saves all. */
  flush(): Promise<void> {
    return this.save(() => true)
  }

  private isDue({ id, answer }: ToldRow): boolean {
    const before = this.saved.get(id)
    if (before === undefined) return true
    return performance.now() - before.at >= (before.answer === answer ? sameAnswerMs : otherAnswerMs)
  }

  private async save(isDue: (row: ToldRow) => boolean): Promise<void> {
    const due = [...this.waiting.values()].filter(isDue)
    if (due.length === 0) return
    await this.store.saveTold(due)
    for (const row of due) {
      this.saved.set(row.id, { answer: row.answer, at: performance.now() })
      if (this.waiting.get(row.id) === row) this.waiting.delete(row.id)
    }
  }
}
