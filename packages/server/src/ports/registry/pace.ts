import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { Slots } from '../../shared/slots.js'
import { RegistryBusy, RegistryUnavailable } from './errors.js'
import type { RegistryError } from './port.js'

/** Look-ups at a time: of this process, and at one server. More than two at once would look like abuse to many registries. */
const runningMax = 8
const runningPerHostMax = 2

/** Look-ups that wait for a slot. */
const waitingMax = 500
const waitingPerHostMax = 50

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
  readonly #all = new Slots(runningMax, waitingMax)
  readonly #hosts = new Map<string, { readonly slots: Slots; users: number }>()
  readonly #openCircuits = new LRUCache<string, RegistryError>({ max: hostsMax, ttl: circuitOpenMs })
  readonly #logged = new LRUCache<string, true>({ max: hostsMax, ttl: logEveryMs })

  constructor(private readonly log: PaceLog) {}

  /**
   * Runs a request to a server.
   * @param until when the request must end, on the clock of `performance.now()`
   * @throws RegistryError also if the server has just failed; RegistryBusy if no slot was free early enough
   */
  async run<R>(host: string, until: number, request: () => Promise<R>): Promise<R> {
    const waiting = this.#hosts.get(host) ?? { slots: new Slots(runningPerHostMax, waitingPerHostMax), users: 0 }
    this.#hosts.set(host, waiting)
    waiting.users += 1
    try {
      // The slot of the server first: calls that wait for a slow server must not hold the slots of all.
      return await withSlot(waiting.slots, until, () => withSlot(this.#all, until, () => this.#ask(host, request)))
    } finally {
      waiting.users -= 1
      if (waiting.users === 0) this.#hosts.delete(host)
    }
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

async function withSlot<R>(slots: Slots, until: number, work: () => Promise<R>): Promise<R> {
  if (!(await slots.take(until - requestMs))) throw new RegistryBusy()
  try {
    return await work()
  } finally {
    slots.release()
  }
}
