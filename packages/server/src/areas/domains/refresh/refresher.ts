import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { RegistryError } from '../../../ports/registry/port.js'
import type { Job } from '../../../shared/job.js'
import type { DueDomain, RefreshStore } from './refresh-store.js'
import { latestPlan, nextAttempt } from './schedule.js'
import type { Sync } from './sync.js'

/** A new domain waits at most this long for its first look-up. */
const everyMs = 2_000

/** The rest of a registry after each look-up: in a night it is asked for some 9,000 domains, and for the others in the morning. */
const usualPauseMs = 2_000

/** Registries that are asked at the same time. */
const registriesMax = 4

interface RefresherParts {
  readonly refreshes: RefreshStore
  readonly sync: Sync
  readonly log: Pick<Logger, 'error'>
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly pauseMs?: number
}

/**
 * Refreshes the domains that are due, in one process at a time. One look-up of each top-level domain at a time, with a pause after it,
 * also if many are due: after a night without the server, or after a change of the clock.
 */
export class Refresher {
  readonly job: Job
  /** When a registry may be asked again, on the clock of `performance.now()`. */
  readonly #restsUntil = new Map<string, number>()

  constructor(private readonly parts: RefresherParts) {
    this.job = {
      name: 'domains.refresh',
      everyMs,
      runsIn: 'one process',
      failureMessage: 'domains could not be refreshed',
      run: (signal) => this.#run(signal),
    }
  }

  /** Ends when no domain is due, and soon after the signal. */
  async #run(signal: AbortSignal): Promise<void> {
    const running = new Map<string, Promise<void>>()
    // Not the signal itself: an error ends the look-ups too.
    const ending = new AbortController()
    const end = () => {
      ending.abort()
    }
    signal.addEventListener('abort', end, { once: true })
    try {
      while (!signal.aborted) {
        const due = await this.#due()
        if (due.length === 0 && running.size === 0) return
        for (const domain of due) this.#begin(domain, running, ending.signal)
        await this.#change(due, running, ending.signal)
      }
    } finally {
      signal.removeEventListener('abort', end)
      ending.abort()
      // A stop does not wait for look-ups that have no signal: closing the registries ends them.
      if (!signal.aborted) await Promise.allSettled(running.values())
    }
  }

  #due(): Promise<DueDomain[]> {
    const now = this.parts.now()
    return this.parts.refreshes.due(now, latestPlan(now))
  }

  #begin(domain: DueDomain, running: Map<string, Promise<void>>, signal: AbortSignal): void {
    const { tld } = domain
    if (running.has(tld) || running.size >= registriesMax || this.#restOf(tld) > 0) return
    const refresh = this.#refresh(domain, signal).finally(() => {
      running.delete(tld)
    })
    running.set(tld, refresh)
  }

  /** Resolves when a look-up has ended, a registry has rested, or new domains may be due. @throws the error of a look-up */
  async #change(
    due: readonly DueDomain[],
    running: ReadonlyMap<string, Promise<void>>,
    signal: AbortSignal,
  ): Promise<void> {
    const rests = due.map(({ tld }) => this.#restOf(tld)).filter((ms) => ms > 0)
    const changed = new AbortController()
    const waiting = AbortSignal.any([signal, changed.signal])
    // An aborted wait is over, like one that has ended.
    const waited = delay(Math.min(everyMs, ...rests), undefined, { signal: waiting }).catch(() => undefined)
    try {
      await Promise.race([...running.values(), waited])
    } finally {
      changed.abort()
    }
  }

  #restOf(tld: string): number {
    return (this.#restsUntil.get(tld) ?? 0) - performance.now()
  }

  async #refresh({ name, tld, failures, synced_at }: DueDomain, signal: AbortSignal): Promise<void> {
    const { sync, refreshes, log, now, pauseMs = usualPauseMs } = this.parts
    try {
      // Another account or the WHOIS operation may have asked for a new domain already.
      await (synced_at === null ? sync.lookUp(name) : sync.refresh(name, signal))
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof RegistryError)) log.error({ err: error, domain: name }, 'a domain could not be refreshed')
      await refreshes.plan(name, failures + 1, nextAttempt(failures, now()))
    } finally {
      this.#restsUntil.set(tld, performance.now() + pauseMs)
    }
  }
}
