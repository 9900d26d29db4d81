import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../db/port.js'
import { boundedFetch } from '../bounded-fetch.js'
import { Deadline } from '../dns/deadline.js'
import { bundledRates } from './bundled-rates.js'
import type { CurrentRates, Rates, UsdRates } from './port.js'
import { ratesStore, type RatesStore } from './rates-store.js'
import { usdRatesOf } from './usd-rates.js'

/** The specification, section 8: rates are refreshed hourly. */
const freshForMs = 60 * 60 * 1000

/** For this long after a failed fetch, callers get the last rates at once and the source gets no request. */
const retryAfterMs = 60 * 1000

/** How long a request waits for new rates, for the database and the source together. */
const defaultDeadlineMs = 3_000

/** Of an answer, which usually has 6 kB. */
const answerMaxBytes = 256 * 1024

export interface LiveRatesOptions {
  /** The source of the rates, in the layout of fawazahmed0/exchange-api. */
  readonly url: string
  readonly db: Database
  readonly log: { warn(details: object, message: string): void }
  /** The clock, in milliseconds since the epoch. */
  readonly now?: () => number
  readonly deadlineMs?: number
}

/** Rates from the network, saved in the database for other processes and for the next start. */
export class LiveRates implements Rates {
  readonly #store: RatesStore
  readonly #now: () => number
  readonly #deadlineMs: number
  readonly #host: string
  #last: UsdRates = bundledRates()
  #refreshing: Promise<boolean> | undefined
  #failedAt = -Infinity

  constructor(private readonly options: LiveRatesOptions) {
    // For the log: the path and query of the URL may contain a key.
    this.#host = new URL(options.url).host
    this.#store = ratesStore(options.db)
    this.#now = options.now ?? Date.now
    this.#deadlineMs = options.deadlineMs ?? defaultDeadlineMs
  }

  async current(): Promise<CurrentRates> {
    if (this.#isFresh() || this.#isWithin(retryAfterMs, this.#failedAt)) return { rates: this.#last, cached: true }
    // Concurrent callers share one refresh.
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined
    })
    const fetched = await this.#refreshing
    return { rates: this.#last, cached: !fetched }
  }

  /** @returns whether new rates were fetched. Never rejects, and ends within the deadline. */
  async #refresh(): Promise<boolean> {
    const deadline = Deadline.in(this.#deadlineMs)
    try {
      return await Promise.race([this.#loadOrFetch(deadline), rejectionAt(deadline)])
    } catch (error) {
      this.#failedAt = this.#now()
      this.#warn(error, 'no new exchange rates; the last good ones are served')
      return false
    }
  }

  async #loadOrFetch(deadline: Deadline): Promise<boolean> {
    await this.#load()
    if (this.#isFresh()) return false
    // The callers already have their answers, so they could not use a fetched rate.
    if (deadline.isOver) return false
    const perUsd = await fetchRates(this.options.url, deadline.remainingMs)
    this.#last = { fetchedAt: this.#now(), perUsd }
    // The answer does not depend on the saved copy, so it does not wait for the commit.
    this.#store.save(this.#last).catch((error: unknown) => {
      this.#warn(error, 'the exchange rates could not be saved')
    })
    return true
  }

  /** Loads the rates that another process or an earlier run has saved. */
  async #load(): Promise<void> {
    try {
      const saved = await this.#store.last()
      // A time in the future comes from a wrong clock.
      if (saved && saved.fetchedAt > this.#last.fetchedAt && saved.fetchedAt < this.#now() + freshForMs)
        this.#last = saved
    } catch (error) {
      this.#warn(error, 'the saved exchange rates could not be read')
    }
  }

  #isFresh(): boolean {
    return this.#isWithin(freshForMs, this.#last.fetchedAt)
  }

  /** Compares in both directions: if the clock is set back, the next refresh must not wait until the clock has caught up. */
  #isWithin(ms: number, time: number): boolean {
    return Math.abs(this.#now() - time) < ms
  }

  #warn(error: unknown, message: string): void {
    this.options.log.warn({ err: error, source: this.#host }, message)
  }
}

/** Rejects at the deadline: a database query may hang. */
async function rejectionAt(deadline: Deadline): Promise<never> {
  await sleep(deadline.remainingMs, undefined, { ref: false })
  throw new DOMException('No rates within the deadline.', 'TimeoutError')
}

/**
 * Fetches the current rates.
 * @param deadlineMs milliseconds for the whole exchange
 * @throws Error if the source cannot be reached, does not answer 200, or its answer is too long or has no valid rates
 */
async function fetchRates(url: string, deadlineMs: number): Promise<UsdRates['perUsd']> {
  const { status, text } = await boundedFetch(url, {
    deadlineMs,
    maxBytes: answerMaxBytes,
    // Package sources redirect to a version, and the request contains no secret.
    redirects: 'follow',
    headers: { accept: 'application/json' },
  })
  if (status !== 200) throw new Error(`The source answered ${status}.`)
  return usdRatesOf(JSON.parse(text))
}
