import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { ApiError } from '@svc/contract/errors'
import { TimeSlices } from '../../../shared/time-slices.js'
import type { CalendarStore, FoundCalendar } from './calendar-store.js'
import { calendarEnd, calendarStart, eventOf } from './events.js'

const dayMs = 24 * 60 * 60_000

/** How long expired domains stay in the calendar. */
const retentionMs = 30 * dayMs

/** Memory for cached calendars, in bytes: several of 10,000 domains. */
const memoryBytes = 32 * 1024 * 1024

/** Domains that are read at a time. */
const pageRows = 200

/** The text of a calendar. */
export interface CalendarText {
  readonly bytes: Buffer
  /** Of the bytes, with its quotation marks. */
  readonly etag: string
}

interface CachedText extends CalendarText {
  readonly version: string
}

/** A calendar to be created. */
interface Creation {
  readonly version: string
  readonly today: number
  readonly text: Promise<CalendarText>
  /** Whether each client that waits for the text has left. */
  readonly haveLeft: (() => boolean)[]
  readonly run: (creation: Creation) => Promise<void>
}

/** Creates calendars, and caches their texts until a domain or the day changes. */
export class CalendarCache {
  readonly #cached = new LRUCache<number, CachedText>({
    maxSize: memoryBytes,
    sizeCalculation: ({ bytes }) => bytes.length + 1_000,
  })
  /** By account, at most one of each, in the order in which they begin. */
  readonly #waiting = new Map<number, Creation>()
  #running: { readonly accountId: number; readonly creation: Creation } | undefined

  /** @param now milliseconds since the epoch */
  constructor(
    private readonly calendars: Pick<CalendarStore, 'page'>,
    private readonly now: () => number,
  ) {}

  /**
   * The text of a calendar. One calendar is created at a time, so that many requests need the memory of one. The accounts take
   * turns, and an account waits for its newest version only: an account whose domains change often cannot block the others.
   * @param hasLeft whether the client has left
   * @throws ApiError `bad_request` if all clients that waited for the calendar have left
   */
  get({ accountId, version: changes }: FoundCalendar, hasLeft: () => boolean): Promise<CalendarText> {
    const today = Math.floor(this.now() / dayMs) * dayMs
    const version = `${changes} ${String(today)}`
    const cached = this.#cached.get(accountId)
    if (cached?.version === version) return Promise.resolve(cached)
    if (this.#running?.accountId === accountId && this.#running.creation.version === version)
      return this.#running.creation.text
    const earlier = this.#waiting.get(accountId)
    const creation = earlier
      ? { ...earlier, version, today, haveLeft: [...earlier.haveLeft, hasLeft] }
      : { version, today, haveLeft: [hasLeft], ...this.#plan(accountId) }
    this.#waiting.set(accountId, creation)
    if (this.#running === undefined) void this.#createAll()
    return creation.text
  }

  #plan(accountId: number): Pick<Creation, 'text' | 'run'> {
    let run: Creation['run'] = () => Promise.resolve()
    const text = new Promise<CalendarText>((resolve, reject) => {
      run = (creation) => this.#create(accountId, creation).then(resolve, reject)
    })
    return { text, run }
  }

  /** Also visits the calendars that are added meanwhile. */
  async #createAll(): Promise<void> {
    for (const [accountId, creation] of this.#waiting) {
      this.#waiting.delete(accountId)
      this.#running = { accountId, creation }
      await creation.run(creation)
      this.#moveBack(accountId)
    }
    this.#running = undefined
  }

  /** The other accounts come first. */
  #moveBack(accountId: number): void {
    const next = this.#waiting.get(accountId)
    if (next === undefined) return
    this.#waiting.delete(accountId)
    this.#waiting.set(accountId, next)
  }

  async #create(accountId: number, { version, today, haveLeft }: Creation): Promise<CalendarText> {
    if (haveLeft.every((hasLeft) => hasLeft())) throw new ApiError('bad_request', 'The connection was closed.')
    const text = { ...(await this.#read(accountId, today - retentionMs)), version }
    this.#cached.set(accountId, text)
    return text
  }

  /** @param since the earliest expiry */
  async #read(accountId: number, since: number): Promise<CalendarText> {
    // Never aborted: the next request finds the text in the cache.
    const slices = new TimeSlices()
    const pieces = [Buffer.from(calendarStart)]
    let after: string | undefined = ''
    while (after !== undefined) {
      const rows = await this.calendars.page(accountId, since, after, pageRows)
      for (const row of rows) {
        if (slices.isOver) await slices.next()
        pieces.push(Buffer.from(eventOf(accountId, row)))
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
    return { bytes: Buffer.concat(pieces), etag }
  }
}
