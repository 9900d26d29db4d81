import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { KeyedSlots } from '../../shared/slots.js'
import { RegistryBusy, RegistryUnavailable } from './errors.js'
import type { RegistryError } from './port.js'

/** A request with less time would often end without an answer: a call does not wait longer for its slot. */
const requestMs = 2_000

/** For this long after a server was unreachable or refused requests, it is not asked. */
const circuitOpenMs = 10_000

/** A failing server is logged once in this time. */
const logEveryMs = 60_000

/** Servers that are remembered. */
const hostsMax = 2_000

type PaceLog = Pick<Logger, 'warn'>

/** Limits concurrent look-ups, and stops asking a failing server for 10 seconds (circuit breaker). */
export class Pace {
  /** By host. More than two requests at once would look like abuse to many registries. */
  readonly #slots = new KeyedSlots<string>({
    each: { running: 2, waiting: 50 },
    all: { running: 8, waiting: 500 },
    busy: () => new RegistryBusy(),
  })
  readonly #openCircuits = new LRUCache<string, RegistryError>({ max: hostsMax, ttl: circuitOpenMs })
  readonly #logged = new LRUCache<string, true>({ max: hostsMax, ttl: logEveryMs })

  constructor(private readonly log: PaceLog) {}

  /**
   * Runs a request to a server.
   * @param until when the request must end, on the clock of `performance.now()`
   * @throws RegistryError also if the server has just failed; RegistryBusy if no slot was free early enough
   */
  run<R>(host: string, until: number, request: () => Promise<R>): Promise<R> {
    return this.#slots.run(host, until - requestMs, () => this.#ask(host, request))
  }

  async #ask<R>(host: string, request: () => Promise<R>): Promise<R> {
    const failure = this.#openCircuits.get(host)
    if (failure !== undefined) throw failure
    try {
      return await request()
    } catch (error) {
      if (error instanceof RegistryUnavailable) this.#openCircuits.set(host, error)
      if (!this.#logged.has(host)) {
        this.#logged.set(host, true)
        this.log.warn({ err: error, registry: host }, 'a registry gave no usable answer')
      }
      throw error
    }
  }
}
