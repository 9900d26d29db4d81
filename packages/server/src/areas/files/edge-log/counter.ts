import { setTimeout as sleep } from 'node:timers/promises'
import { WriteBatch, type Batch } from '../../../shared/write-batch.js'
import { sumOf, type Traffic } from '../sharing/traffic-counts.js'
import { linesOf, readLine } from './log-lines.js'

/** The counts of this many lines are saved at once. Fewer are saved after a second. */
const linesMax = 10_000

/** While the database is unreachable, the counts of this many links are kept. Then no further line is read. */
const linksMax = 10_000

export interface CounterOptions {
  readonly isContentHost: (host: string) => boolean
  /** Saves in one unit of work. @returns how many of the requests were for the links of files */
  readonly save: (batch: Batch<Traffic, string>) => Promise<number>
  /** Called when saving fails for the first time since it has succeeded. */
  readonly onFailure: (error: unknown) => void
  readonly onMalformed: (line: string) => void
  /** How often the counts are saved, in milliseconds. */
  readonly saveEveryMs: number
}

/** How many requests and lines were read. */
export interface LogTally {
  /** Requests for share links that are saved. */
  readonly counted: number
  /** Requests for links that no file has. */
  readonly unknown: number
  /** Requests that are not answered with a shared file. */
  readonly other: number
  readonly malformed: number
  /** Requests for share links whose counts are not saved. */
  readonly unsaved: number
}

/**
 * Counts the requests for share links in the log of a cache in front of svc. A crash loses the requests since the last save. If the
 * answer to a commit is lost, its requests are counted twice.
 */
export class LogCounter {
  readonly #tally = { counted: 0, unknown: 0, other: 0, malformed: 0, unsaved: 0 }
  readonly #batch = new WriteBatch<Traffic, string>((batch) => this.#save(batch), sumOf)
  #linesSinceSave = 0
  #saving: Promise<void> | undefined
  #isFailing = false

  constructor(private readonly options: CounterOptions) {}

  get tally(): LogTally {
    return this.#tally
  }

  /**
   * Reads a log to its end. While the database is unreachable for long, it does not read on.
   * @param signal ends the wait for the database
   * @throws the error of `chunks`
   */
  async read(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
    const { saveEveryMs } = this.options
    const timer = setInterval(() => void this.#flush(), saveEveryMs)
    try {
      for await (const lines of linesOf(chunks)) {
        for (const line of lines) this.#count(line)
        this.#linesSinceSave += lines.length
        if (this.#linesSinceSave >= linesMax) void this.#flush()
        while (this.#batch.size >= linksMax && !signal.aborted) {
          await this.#flush()
          if (this.#isFailing) await sleep(saveEveryMs)
        }
      }
    } finally {
      clearInterval(timer)
    }
  }

  /**
   * Saves the last counts.
   * @param waitMs how long it tries, if the database is unreachable
   * @param signal ends the wait earlier
   */
  async finish(waitMs: number, signal?: AbortSignal): Promise<void> {
    const deadline = performance.now() + waitMs
    await this.#flush()
    while (this.#tally.unsaved > 0 && performance.now() < deadline && signal?.aborted !== true) {
      await sleep(this.options.saveEveryMs)
      await this.#flush()
    }
  }

  #count(line: string): void {
    const read = readLine(line, this.options.isContentHost)
    if (read === 'other') this.#tally.other += 1
    else if (read === 'malformed') {
      this.#tally.malformed += 1
      this.options.onMalformed(line)
    } else {
      this.#tally.unsaved += 1
      this.#batch.add(read.key, read.traffic)
    }
  }

  /** Saves the counts, one batch at a time. Does not reject: after a failure, the next call saves them. */
  #flush(): Promise<void> {
    this.#linesSinceSave = 0
    this.#saving ??= this.#batch
      .flush()
      .then(
        () => {
          this.#isFailing = false
        },
        (error: unknown) => {
          if (!this.#isFailing) this.options.onFailure(error)
          this.#isFailing = true
        },
      )
      .finally(() => {
        this.#saving = undefined
      })
    return this.#saving
  }

  async #save(batch: Batch<Traffic, string>): Promise<void> {
    const requests = batch.reduce((sum, [, traffic]) => sum + traffic.requests, 0)
    const counted = await this.options.save(batch)
    this.#tally.counted += counted
    this.#tally.unknown += requests - counted
    this.#tally.unsaved -= requests
  }
}
