import type { Logger } from 'pino'
import { RegistryError } from '../../../ports/registry/port.js'
import type { Job } from '../../../shared/job.js'
import type { DueDomain, RefreshStore } from './refresh-store.js'
import { latestDueAt, nextAttempt } from './schedule.js'
import type { Sync } from './sync.js'

/** A new domain waits at most this long for its first look-up. */
const everyMs = 2_000

/** The pause after each look-up of a registry: it is asked for some 9,000 domains in a night, and for the others in the morning. */
const defaultPauseMs = 2_000

/** Registries that are asked at the same time. */
const registriesMax = 4

/**
 * The job takes its lock again after each run. A process that has lost the lock, such as by a restart of PostgreSQL, does not notice
 * it before, and asks the registries beside the process that has the lock now.
 */
const defaultRunMs = 60_000

interface RefresherDependencies {
  readonly refreshes: RefreshStore
  readonly sync: Sync
  readonly log: Pick<Logger, 'error'>
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly pauseMs?: number
  /** After this time, a run begins no look-ups. */
  readonly runMs?: number
}

/**
 * Refreshes the domains that are due, in one process at a time. One look-up of each top-level domain at a time, with a pause after it,
 * also if many are due: after a night without the server, or after a change of the clock.
 */
export class Refresher {
  readonly job: Job
  /** When a registry may be asked again, on the clock of `performance.now()`. */
  readonly #pausedUntil = new Map<string, number>()

  constructor(private readonly dependencies: RefresherDependencies) {
    this.job = {
      name: 'domains.refresh',
      everyMs,
      runsIn: 'one process',
      failureMessage: 'domains could not be refreshed',
      run: (signal) => this.#run(signal),
    }
  }

  /** Ends when no domain is due, after about a minute, and soon after the signal. @throws AggregateError of refreshes that could not be saved */
  async #run(signal: AbortSignal): Promise<void> {
    const lookUps = new LookUps()
    const endAt = performance.now() + (this.dependencies.runMs ?? defaultRunMs)
    const stop = () => {
      lookUps.stop()
    }
    signal.addEventListener('abort', stop, { once: true })
    try {
      while (!lookUps.isStopped) {
        const due = performance.now() < endAt ? await this.#due() : []
        if (due.length === 0 && lookUps.count === 0) return
        for (const domain of due)
          if (this.#pauseLeftMs(domain.tld) <= 0)
            lookUps.beginIfFree(domain.tld, (stopping) => this.#refresh(domain, stopping))
        const pauses = due.map(({ tld }) => this.#pauseLeftMs(tld)).filter((ms) => ms > 0)
        await lookUps.waitForChange(Math.min(everyMs, ...pauses))
      }
    } finally {
      signal.removeEventListener('abort', stop)
      lookUps.stop()
      // A stop does not wait for look-ups that have no signal: closing the registries ends them.
      if (!signal.aborted) await lookUps.waitForAll()
    }
  }

  #due(): Promise<DueDomain[]> {
    const now = this.dependencies.now()
    return this.dependencies.refreshes.due(now, latestDueAt(now))
  }

  #pauseLeftMs(tld: string): number {
    return (this.#pausedUntil.get(tld) ?? 0) - performance.now()
  }

  async #refresh({ name, tld, failures, synced_at }: DueDomain, signal: AbortSignal): Promise<void> {
    const { sync, refreshes, log, now, pauseMs = defaultPauseMs } = this.dependencies
    try {
      // Another account or the WHOIS operation may have asked for a new domain already.
      await (synced_at === null ? sync.lookUp(name) : sync.refresh(name, { signal }))
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof RegistryError)) log.error({ err: error, domain: name }, 'a domain could not be refreshed')
      await refreshes.schedule(name, failures + 1, nextAttempt(failures, now()))
    } finally {
      this.#pausedUntil.set(tld, performance.now() + pauseMs)
    }
  }
}

/** The look-ups of one run: one of each registry. */
class LookUps {
  readonly #running = new Map<string, Promise<void>>()
  readonly #stopping = new AbortController()
  readonly #failures: unknown[] = []
  #hasChanged = false
  #wake = (): void => undefined

  get count(): number {
    return this.#running.size
  }

  get isStopped(): boolean {
    return this.#stopping.signal.aborted
  }

  /** Begins a look-up, unless the registry is being asked, or enough others are. */
  beginIfFree(tld: string, lookUp: (stopping: AbortSignal) => Promise<void>): void {
    if (this.#running.has(tld) || this.count >= registriesMax) return
    const running = lookUp(this.#stopping.signal)
      .catch((error: unknown) => {
        this.#failures.push(error)
      })
      .finally(() => {
        this.#running.delete(tld)
        this.#changed()
      })
    this.#running.set(tld, running)
  }

  /**
   * Resolves when a look-up has ended since the last call, or after a time.
   * @param ms the longest wait
   * @throws AggregateError of look-ups whose outcome could not be saved
   */
  async waitForChange(ms: number): Promise<void> {
    if (!this.#hasChanged)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    this.#hasChanged = false
    if (this.#failures.length > 0) throw new AggregateError(this.#failures, 'Refreshes could not be saved.')
  }

  stop(): void {
    this.#stopping.abort()
    this.#changed()
  }

  /** Resolves when no look-up is running. */
  async waitForAll(): Promise<void> {
    await Promise.all(this.#running.values())
  }

  #changed(): void {
    this.#hasChanged = true
    this.#wake()
  }
}
