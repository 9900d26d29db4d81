import type { Database } from '../../db/port.js'
import { bundledRates } from './bundled-rates.js'
import { fetchRates } from './fetch-rates.js'
import type { CurrentRates, Rates, UsdRates } from './port.js'
import { ratesStore, type RatesStore } from './rates-store.js'

/** The specification, section 8: rates are refreshed hourly. */
const freshForMs = 60 * 60 * 1000

/** After a failure the source is left in peace, and callers are answered at once. */
const retryAfterMs = 60 * 1000

/** What a request waits for new rates at most, connecting and reading included. */
const defaultDeadlineMs = 3_000

export interface LiveRatesOptions {
  /** Where rates are fetched from, in the layout of fawazahmed0/exchange-api. */
  readonly url: string
  readonly db: Database
  readonly log: { warn(details: object, message: string): void }
  /** The clock, in milliseconds since the epoch. */
  readonly now?: () => number
  readonly deadlineMs?: number
}

/** Rates over the network, kept in the database for a restart and for the other processes. */
export class LiveRates implements Rates {
  readonly #store: RatesStore
  readonly #now: () => number
  readonly #deadlineMs: number
  readonly #host: string
  #last: UsdRates = bundledRates()
  #refreshing: Promise<boolean> | undefined
  #failedAt = -Infinity

  constructor(private readonly options: LiveRatesOptions) {
    // For the log: path and query of the address may hold a key.
    this.#host = new URL(options.url).host
    this.#store = ratesStore(options.db)
    this.#now = options.now ?? Date.now
    this.#deadlineMs = options.deadlineMs ?? defaultDeadlineMs
  }

  async current(): Promise<CurrentRates> {
    if (this.#fresh() || this.#within(retryAfterMs, this.#failedAt)) return { rates: this.#last, cached: true }
    // All who come while a refresh is under way wait for that one.
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined
    })
    const fetched = await this.#refreshing
    return { rates: this.#last, cached: !fetched }
  }

  /** @returns whether it took a fetch, and the fetch brought rates. Never fails, and ends within the deadline. */
  async #refresh(): Promise<boolean> {
    const deadline = AbortSignal.timeout(this.#deadlineMs)
    try {
      return await Promise.race([this.#loadOrFetch(deadline), rejection(deadline)])
    } catch (error) {
      this.#failedAt = this.#now()
      this.#warn(error, 'no new exchange rates; the last good ones are served')
      return false
    }
  }

  async #loadOrFetch(deadline: AbortSignal): Promise<boolean> {
    await this.#load()
    if (this.#fresh()) return false
    deadline.throwIfAborted()
    const perUsd = await fetchRates(this.options.url, deadline)
    this.#last = { fetchedAt: this.#now(), perUsd }
    // Nobody has to wait for the copy that others and later starts will read.
    this.#store.save(this.#last).catch((error: unknown) => {
      this.#warn(error, 'the exchange rates could not be kept')
    })
    return true
  }

  /** Takes over what another process, or this one before it was started again, has kept. */
  async #load(): Promise<void> {
    try {
      const kept = await this.#store.last()
      // Times to come are from a wrong clock.
      if (kept && kept.fetchedAt > this.#last.fetchedAt && kept.fetchedAt < this.#now() + freshForMs) this.#last = kept
    } catch (error) {
      this.#warn(error, 'the exchange rates that were kept could not be read')
    }
  }

  #fresh(): boolean {
    return this.#within(freshForMs, this.#last.fetchedAt)
  }

  /** Counts both ways: a clock that was set back must not stop the refresh until it has caught up. */
  #within(ms: number, time: number): boolean {
    return Math.abs(this.#now() - time) < ms
  }

  #warn(error: unknown, message: string): void {
    this.options.log.warn({ err: error, source: this.#host }, message)
  }
}

/** A database that hangs does not listen to the signal; whoever waits does. */
const rejection = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error)
    })
  })
