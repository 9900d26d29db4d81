import type { Logger } from 'pino'
import type { Database } from '../../../db/port.js'
import { guardedFetch } from '../../bounded-fetch.js'
import type { GuardedConnections } from '../../outbound/guarded-connections.js'
import { bundledRdapServers, readRdapServers, type RdapServers } from './bootstrap.js'
import { bootstrapStore, type BootstrapStore } from './bootstrap-store.js'

/** IANA's list of RDAP servers (RFC 9224). */
const ianaUrl = 'https://data.iana.org/rdap/dns.json'

const freshForMs = 24 * 60 * 60 * 1000

/** The wait after a failed fetch: twice as long after each further one, up to an hour. */
const retryMs = 60 * 1000
const longestRetryMs = 60 * retryMs

const deadlineMs = 30_000

/** The list has 80 kB. */
const maxBytes = 512 * 1024

export interface LiveRdapServersOptions {
  readonly db: Database
  readonly log: Pick<Logger, 'warn'>
  readonly connections: GuardedConnections
  readonly url?: string
  /** The clock, in milliseconds since the epoch. */
  readonly now?: () => number
}

/**
 * IANA's list, fetched again in the background when it is older than a day. Until then, and if IANA does not answer, the last list is
 * used: of an earlier fetch, of another process, or the bundled one.
 */
export class LiveRdapServers {
  readonly #store: BootstrapStore
  readonly #now: () => number
  #servers: RdapServers | undefined
  #fetchedAt = -Infinity
  #isRefreshing = false
  #failures = 0
  #retryAt = -Infinity

  constructor(private readonly options: LiveRdapServersOptions) {
    this.#store = bootstrapStore(options.db)
    this.#now = options.now ?? Date.now
  }

  /**
   * @param signal ends a refresh that this call begins
   * @returns the base URLs of a top-level domain; empty without RDAP
   */
  serversOf(topLevel: string, signal: AbortSignal): readonly string[] {
    if (!this.#isRefreshing && !this.#isFresh() && this.#now() >= this.#retryAt) void this.#refresh(signal)
    this.#servers ??= bundledRdapServers()
    return this.#servers.get(topLevel) ?? []
  }

  /** Whether a top-level domain has RDAP. */
  has(topLevel: string): boolean {
    this.#servers ??= bundledRdapServers()
    return this.#servers.has(topLevel)
  }

  /** Never rejects. */
  async #refresh(signal: AbortSignal): Promise<void> {
    this.#isRefreshing = true
    try {
      await this.#load()
      if (!this.#isFresh()) await this.#fetch(signal)
      this.#failures = 0
    } catch (error) {
      this.#retryAt = this.#now() + Math.min(retryMs * 2 ** this.#failures, longestRetryMs)
      this.#failures += 1
      if (!signal.aborted)
        this.options.log.warn({ err: error }, 'no new list of RDAP servers; the last one stays in use')
    } finally {
      this.#isRefreshing = false
    }
  }

  /** Loads the list that another process or an earlier run has saved. */
  async #load(): Promise<void> {
    const saved = await this.#store.last()
    // A time in the future comes from a wrong clock.
    if (saved === undefined || saved.fetchedAt <= this.#fetchedAt || saved.fetchedAt > this.#now()) return
    try {
      this.#servers = readRdapServers(saved.data)
      this.#fetchedAt = saved.fetchedAt
    } catch (error) {
      // Of another version of svc, or damaged: the next fetch replaces it.
      this.options.log.warn({ err: error }, 'the stored list of RDAP servers cannot be read')
    }
  }

  async #fetch(signal: AbortSignal): Promise<void> {
    const { url = ianaUrl, connections } = this.options
    const { status, text } = await guardedFetch(url, {
      connections,
      accept: 'application/json',
      deadlineMs,
      maxBytes,
      stop: signal,
    })
    if (status !== 200) throw new Error(`IANA answered ${String(status)}.`)
    this.#servers = readRdapServers(text)
    this.#fetchedAt = this.#now()
    await this.#store.save(this.#fetchedAt, text)
  }

  /** Compares in both directions: if the clock is set back, the next refresh must not wait until the clock has caught up. */
  #isFresh(): boolean {
    return Math.abs(this.#now() - this.#fetchedAt) < freshForMs
  }
}
