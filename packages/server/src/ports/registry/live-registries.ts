import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { Database } from '../../db/port.js'
import type { Job } from '../../shared/job.js'
import { Deadline } from '../dns/deadline.js'
import { lateAnswer, RegistryBusy } from './errors.js'
import { RegistryError, type Registration, type RefreshOptions, type Registries, type RegistryAnswer } from './port.js'
import { registrationStore, type RegistrationStore, type StoredRegistration } from './registration-store.js'

const second = 1_000
const hour = 60 * 60 * second

/** How long answers are served without a look-up. People wait for an unregistered name to be registered. */
const registeredMs = 24 * hour
const unregisteredMs = 5 * 60 * second

/** WHOIS has less data than RDAP: an answer that only stands in for RDAP is soon asked for again. */
const fallbackMs = 10 * 60 * second

/** How long a failed look-up is not repeated. */
const failedMs = 10 * second

/** Rows are kept a little longer than they are fresh, because clocks of processes differ. */
const keepMs = hour

/** How long an answer is served from memory without a query: the answer of another process is seen after this time. */
const memoryMs = 60 * second
const memoryBytes = 16 * 1024 * 1024

/** The longest wait of a call. */
const defaultDeadlineMs = 15 * second

/** A claim outlasts its look-up, and ends if its process is killed. */
const claimSlackMs = 5 * second

/** Clocks of processes differ by less than this. A later time in the database comes from a wrong clock, and does not count. */
const clockSkewMs = 60 * second

const removeEveryMs = 10 * 60 * second

/** How often a process looks for the answer that another process is fetching. */
const pollMs = 100

/** Look-ups of this process that run or wait. */
const pendingMax = 1_000

export interface RegistryQuestion {
  readonly domain: string
  readonly deadline: Deadline
  /** Ends the look-up when the server stops. */
  readonly signal: AbortSignal
}

/** Asks the registries about a domain. @returns undefined for an unregistered domain @throws RegistryError */
export type AskRegistry = (question: RegistryQuestion) => Promise<Registration | undefined>

export interface LiveRegistriesOptions {
  readonly db: Database
  readonly ask: AskRegistry
  /** Whether an answer is from WHOIS although the registry has RDAP. */
  readonly isFallback?: (registration: Registration) => boolean
  readonly log: Pick<Logger, 'warn'>
  /** The clock, in milliseconds since the epoch. */
  readonly now?: () => number
  readonly deadlineMs?: number
}

/** Whether a stored answer is new enough for a call. */
type IsWanted = (answer: NonNullable<StoredRegistration['answer']>) => boolean

/** Registries in the network. Their answers are shared by all processes on the database, and the last ones are in memory. */
export class LiveRegistries implements Registries {
  readonly jobs: readonly Job[] = [
    {
      name: 'registries.removeOld',
      everyMs: removeEveryMs,
      runsIn: 'one process',
      failureMessage: 'old registration data could not be removed',
      run: (signal) => this.#removeOld(signal),
    },
  ]
  readonly #store: RegistrationStore
  readonly #now: () => number
  readonly #stopping = new AbortController()
  readonly #pending = new Map<string, Promise<RegistryAnswer>>()
  readonly #memory = new LRUCache<string, RegistryAnswer>({
    maxSize: memoryBytes,
    // UTF-16 takes two bytes for each character.
    sizeCalculation: ({ registration }) => 1_000 + 2 * JSON.stringify({ registration }).length,
  })

  constructor(private readonly options: LiveRegistriesOptions) {
    this.#store = registrationStore(options.db)
    this.#now = options.now ?? Date.now
    // Each look-up listens. Their number has its own limit.
    setMaxListeners(0, this.#stopping.signal)
  }

  fromMemory(domain: string): RegistryAnswer | undefined {
    return this.#memory.get(domain)
  }

  lookUp(domain: string): Promise<RegistryAnswer> {
    const known = this.fromMemory(domain)
    if (known !== undefined) return Promise.resolve(known)
    return this.#share(`look up ${domain}`, () => this.#obtain(domain, ({ freshUntil }) => freshUntil > this.#now()))
  }

  async refresh(domain: string, { signal, maxAgeMs = 0 }: RefreshOptions = {}): Promise<RegistryAnswer> {
    const oldest = this.#now() - maxAgeMs
    const isWanted: IsWanted = ({ fetchedAt }) => fetchedAt >= oldest
    const answer = this.#share(`refresh ${domain} ${String(maxAgeMs)}`, () => this.#obtain(domain, isWanted))
    return signal === undefined ? answer : untilAborted(answer, signal)
  }

  /** Removes rows that are not fresh any more. */
  async #removeOld(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.#store.removeOld(this.#now()))) continue
  }

  /** Ends all look-ups: their callers get a RegistryError. */
  stop(): void {
    this.#stopping.abort(new RegistryError('The server is stopping.'))
  }

  async close(): Promise<void> {
    this.stop()
    await Promise.allSettled(this.#pending.values())
  }

  /** Concurrent calls share one look-up. It continues when their clients have left. */
  #share(key: string, obtain: () => Promise<RegistryAnswer>): Promise<RegistryAnswer> {
    const running = this.#pending.get(key)
    if (running !== undefined) return running
    if (this.#pending.size >= pendingMax) return Promise.reject(new RegistryBusy())
    const answer = obtain().finally(() => this.#pending.delete(key))
    this.#pending.set(key, answer)
    return answer
  }

  async #obtain(domain: string, isWanted: IsWanted): Promise<RegistryAnswer> {
    const deadlineMs = this.options.deadlineMs ?? defaultDeadlineMs
    const deadline = Deadline.in(deadlineMs)
    const signal = this.#stopping.signal
    for (let isCached = true; !deadline.isOver; isCached = false) {
      signal.throwIfAborted()
      const stored = await this.#store.find(domain)
      const now = this.#now()
      if (stored?.answer && stored.answer.fetchedAt <= now + clockSkewMs && isWanted(stored.answer))
        return this.#remember(domain, stored.answer, isCached)
      if (stored?.failure && Math.abs(now - stored.failure.at) < failedMs)
        throw new RegistryError(stored.failure.message)
      const until = now + deadlineMs + claimSlackMs
      const claim = { now, until, latest: until + clockSkewMs }
      const { claimedUntil = 0 } = stored ?? {}
      if ((claimedUntil <= now || claimedUntil > claim.latest) && (await this.#store.claim(domain, claim, stored)))
        return this.#ask(domain, deadline)
      await sleep(pollMs, undefined, { ref: false })
    }
    throw new RegistryError(lateAnswer)
  }

  async #ask(domain: string, deadline: Deadline): Promise<RegistryAnswer> {
    const { signal } = this.#stopping
    try {
      const registration = await untilAborted(this.options.ask({ domain, deadline, signal }), signal)
      const fetchedAt = this.#now()
      const freshUntil = fetchedAt + this.#freshMs(registration)
      await this.#store.save(domain, registration, { fetchedAt, freshUntil, removeAfter: freshUntil + keepMs })
      return this.#keep(domain, { registration, fetchedAt, isCached: false }, freshUntil)
    } catch (error) {
      // Time 0: a look-up that was stopped is repeated at once.
      const failedAt = signal.aborted ? 0 : this.#now()
      const { message } = error instanceof RegistryError ? error : new RegistryError('The look-up failed.')
      await this.#store.saveFailure(domain, message, failedAt).catch((cause: unknown) => {
        this.options.log.warn({ err: cause }, 'a failed look-up could not be saved')
      })
      throw error
    }
  }

  #freshMs(registration: Registration | undefined): number {
    if (registration === undefined) return unregisteredMs
    return this.options.isFallback?.(registration) === true ? fallbackMs : registeredMs
  }

  #remember(domain: string, stored: NonNullable<StoredRegistration['answer']>, isCached: boolean): RegistryAnswer {
    const { data, fetchedAt, freshUntil } = stored
    const registration = data === null ? undefined : (JSON.parse(data) as Registration)
    return this.#keep(domain, { registration, fetchedAt, isCached }, freshUntil)
  }

  /** Keeps the newest answer in memory: a call may have read an older one before a refresh has ended. */
  #keep(domain: string, answer: RegistryAnswer, freshUntil: number): RegistryAnswer {
    const known = this.#memory.peek(domain)?.fetchedAt ?? 0
    if (known > answer.fetchedAt && known <= this.#now() + clockSkewMs) return answer
    const cached = answer.isCached ? answer : { ...answer, isCached: true }
    const ttl = Math.min(memoryMs, freshUntil - this.#now())
    if (ttl > 0) this.#memory.set(domain, cached, { ttl })
    return answer
  }
}

/** Rejects when the signal is aborted; the work continues, and its failure is ignored. */
async function untilAborted<R>(work: Promise<R>, signal: AbortSignal): Promise<R> {
  let abort = (): void => undefined
  const aborted = new Promise<never>((_, reject) => {
    abort = () => {
      reject(signal.reason as Error)
    }
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
