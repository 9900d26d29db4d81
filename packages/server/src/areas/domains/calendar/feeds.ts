import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { TimeSlices } from '../../../shared/time-slices.js'
import type { CalendarStore, FoundCalendar } from './calendar-store.js'
import { calendarEnd, calendarStart, eventOf } from './events.js'

const dayMs = 24 * 60 * 60_000

/** How long expired domains stay in the calendar. */
const keptMs = 30 * dayMs

/** Memory for made calendars, in bytes: several of 10,000 domains. */
const memoryBytes = 32 * 1024 * 1024

/** Domains that are read at a time. */
const pageRows = 200

/** The text of a calendar. */
export interface Feed {
  readonly bytes: Buffer
  /** Of the bytes, with its quotation marks. */
  readonly etag: string
  /** Milliseconds since the epoch. */
  readonly madeAt: number
}

interface KeptFeed extends Feed {
  readonly version: string
}

/** Makes calendars, and keeps their texts until a domain or the day changes. */
export class Feeds {
  readonly #kept = new LRUCache<number, KeptFeed>({
    maxSize: memoryBytes,
    sizeCalculation: ({ bytes }) => bytes.length + 1_000,
  })
  readonly #making = new Map<string, Promise<Feed>>()
  #last: Promise<unknown> = Promise.resolve()

  /** @param now milliseconds since the epoch */
  constructor(
    private readonly calendars: Pick<CalendarStore, 'page'>,
    private readonly now: () => number,
  ) {}

  /** The text of a calendar. One calendar is made at a time, so that many requests need the memory of one. */
  get({ accountId, version: changes }: FoundCalendar): Promise<Feed> {
    const today = Math.floor(this.now() / dayMs) * dayMs
    const version = `${changes} ${String(today)}`
    const kept = this.#kept.get(accountId)
    if (kept?.version === version) return Promise.resolve(kept)
    const key = `${String(accountId)} ${version}`
    const running = this.#making.get(key)
    if (running) return running
    const make = async () => {
      const feed = { ...(await this.#make(accountId, today - keptMs)), version }
      this.#kept.set(accountId, feed)
      return feed
    }
    // Whether the calendar before it could be made does not matter.
    const making = this.#last.then(make, make).finally(() => {
      this.#making.delete(key)
    })
    this.#last = making
    this.#making.set(key, making)
    return making
  }

  /** @param since the earliest expiry */
  async #make(accountId: number, since: number): Promise<Feed> {
    // Never aborted: other requests may wait for the same calendar.
    const slices = new TimeSlices(new AbortController().signal)
    const pieces = [Buffer.from(calendarStart)]
    let after: string | undefined = ''
    while (after !== undefined) {
      const rows = await this.calendars.page(accountId, since, after, pageRows)
      for (const row of rows) {
        if (slices.isOver) await slices.next()
        pieces.push(Buffer.from(`${eventOf(accountId, row)}\r\n`))
      }
      after = rows.length === pageRows ? rows.at(-1)?.name : undefined
    }
    pieces.push(Buffer.from(calendarEnd))
    const digest = createHash('sha256')
    for (const piece of pieces) {
      if (slices.isOver) await slices.next()
      digest.update(piece)
    }
    const etag = `"${digest.digest('base64url').slice(0, 27)}"`
    return { bytes: Buffer.concat(pieces), etag, madeAt: this.now() }
  }
}
