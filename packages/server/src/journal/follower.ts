import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from '../db/port.js'
import { isShown, type ShownEvent } from './events.js'
import { readKeptEvents, readWriters, type Writer } from './live-store.js'
import { readEventsAfter, type EventRow } from './page-store.js'

/** The most rows of one read. */
const rowsAtOnce = 500

/** Events whose place in the order is not yet certain. */
interface Held {
  /** The highest id that has been seen. */
  readonly through: number
  /** The transactions that could commit an event with a lower id. */
  readonly writers: readonly Writer[]
  /** On the clock of `performance.now()`. */
  readonly since: number
}

/** What events wait for. */
interface Holding {
  /** Milliseconds since the wait has begun. */
  readonly ms: number
  /** The processes of PostgreSQL that ran the transactions then. */
  readonly pids: readonly number[]
}

interface FollowerOptions {
  readonly db: Pick<Database, 'one' | 'all' | 'commitNumber'>
  /** Whether events are wanted now. */
  readonly isWanted: () => boolean
  /** The place to begin at, which an earlier reader has reached; undefined to begin at the newest event. */
  readonly begin?: () => Promise<number>
  /** Takes new events of all accounts in the order of their ids, each of them once. The next ones wait for its promise. */
  readonly onEvents: (events: readonly ShownEvent[]) => void | Promise<void>
}

/**
 * Reads the events of all accounts once for all that listen, in the order of their ids.
 *
 * On PostgreSQL, ids are not in the order of the commits: 8 may be committed before 7. Behind a missing id, events are held back until the
 * transactions that could commit it have ended: those that had the lock of a writer of the table when the id was missed. So an id that
 * `onEvents` got is a place in the order: no event with a lower one follows.
 */
export class EventFollower {
  #position: number | undefined
  #held: Held | undefined
  #commit: number | undefined

  constructor(private readonly options: FollowerOptions) {}

  /** The highest id of the events so far; undefined before the first. Each `read` may change it. */
  get position(): number | undefined {
    return this.#position
  }

  /** The transactions that events wait for: `read` should be called again soon. Undefined if they wait for none. */
  get holding(): Holding | undefined {
    if (this.#held === undefined) return undefined
    const { since, writers } = this.#held
    return { ms: Math.round(performance.now() - since), pids: writers.map(({ pid }) => pid) }
  }

  /**
   * Reads what is new. Calls must not overlap. The first call begins at the newest event, and so does the first one after a call at which no
   * events were wanted.
   * @throws the error of the database; the next call goes on. An error of `onEvents`: its events do not come again
   */
  async read(): Promise<void> {
    if (!this.options.isWanted()) {
      this.#position = undefined
      this.#held = undefined
      this.#commit = undefined
      return
    }
    // The number is read before the rows: a later commit makes it differ.
    const commit = this.options.db.commitNumber()
    if (commit !== undefined && commit === this.#commit) return
    const settled = await this.#release()
    this.#position ??= settled ?? (await this.#begin())
    if (this.#position !== undefined) await this.#readAfter(this.#position, settled)
    if (this.#held === undefined) this.#commit = commit
  }

  /** @returns the id up to which all events are committed, if some were held back and no longer are */
  async #release(): Promise<number | undefined> {
    if (this.#held === undefined) return undefined
    const { through, writers } = this.#held
    const running = new Set((await readWriters(this.options.db)).map(({ id }) => id))
    if (writers.some(({ id }) => running.has(id))) return undefined
    this.#held = undefined
    return through
  }

  /** @returns the place to begin at; undefined if an event with a lower id may follow */
  async #begin(): Promise<number | undefined> {
    if (this.#held !== undefined) return undefined
    if (this.options.begin !== undefined) return this.options.begin()
    const { newest = 0 } = await readKeptEvents(this.options.db)
    return (await this.#hold(newest)) ? undefined : newest
  }

  /** @returns whether an event with an id up to this one may still be committed */
  async #hold(through: number): Promise<boolean> {
    const writers = await readWriters(this.options.db)
    if (writers.length === 0) return false
    this.#held = { through, writers, since: performance.now() }
    return true
  }

  async #readAfter(position: number, settled = position): Promise<void> {
    let [after, through] = [position, settled]
    for (;;) {
      const rows = await readEventsAfter(this.options.db, { after, rows: rowsAtOnce })
      const ready = leading(rows, after, through)
      after = ready.at(-1)?.id ?? after
      this.#position = after
      if (ready.length > 0) await this.options.onEvents(ready.filter(isShown))
      const newest = rows.at(-1)?.id ?? after
      if (newest === after) {
        if (rows.length < rowsAtOnce) return
        // The connections take what was sent, before they get more.
        await nextTurn()
      } else if (this.#held !== undefined || (await this.#hold(newest))) return
      else through = newest
    }
  }
}

/** The rows before the first missing id above `through`. */
function leading(rows: readonly EventRow[], after: number, through: number): readonly EventRow[] {
  const expected = (index: number) => Math.max(rows[index - 1]?.id ?? after, through) + 1
  const gap = rows.findIndex(({ id }, index) => id > through && id !== expected(index))
  return gap === -1 ? rows : rows.slice(0, gap)
}
