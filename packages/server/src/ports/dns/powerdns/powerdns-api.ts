import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { ApiError } from '@svc/contract/errors'
import { keyedMutex, LockTimeout } from '../../../db/keyed-mutex.js'
import { Deadline } from '../deadline.js'
import { OutcomeUnknown } from '../port.js'
import { exchange, type Exchanged } from './exchange.js'

export interface PowerDnsApiOptions {
  /** Scheme, host and port. */
  readonly url: string
  readonly key: string
  /** Milliseconds that one request takes at most, its body included. */
  readonly deadlineMs: number
  readonly log: Logger
}

export interface PowerDnsRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** Behind `/servers/localhost`. */
  readonly path: string
  readonly body?: unknown
  /** Statuses that are no failure. */
  readonly expect: readonly number[]
  /** What the request is about. */
  readonly zone?: string
}

export interface PowerDnsAnswer {
  readonly status: number
  /** Undefined where there is none, or it is of no interest. */
  readonly json: unknown
}

/** How much of an answer that is a failure goes into the log. */
const loggedMax = 500

/** What can only happen before a request was sent. */
const notSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** How many writes may be queued: more than PowerDNS could work off before their deadlines. */
const queuedMax = 1000

const retriesMax = 3
const retryWithinMs = 100

/**
 * PowerDNS's HTTP API, version 1 (https://doc.powerdns.com/authoritative/http-api/). What goes wrong is logged whole; the
 * caller is told no more than is theirs to know.
 *
 * It does not bear writes at the same time: with SQLite it answers 500 "database is locked" to all but one
 * (PowerDNS/pdns#14564, mended by #14576); with other databases it writes records twice or runs into deadlocks (#7128, #8663).
 */
export class PowerDnsApi {
  readonly #base: string
  readonly #withLock = keyedMutex()
  #queued = 0

  constructor(private readonly options: PowerDnsApiOptions) {
    this.#base = `${options.url}/api/v1/servers/localhost`
  }

  /**
   * @param deadline for waiting and for the request; one request takes no longer than `deadlineMs` all the same
   * @throws ApiError `upstream_error` for a status that was not expected, and OutcomeUnknown where a write may have worked
   */
  async send(request: PowerDnsRequest, deadline = Deadline.in(this.options.deadlineMs)): Promise<PowerDnsAnswer> {
    const { status, text } = await this.#exchange(request, deadline)
    if (!request.expect.includes(status)) throw this.#refused(request, status, text)
    if (request.method !== 'GET' || status !== 200) return { status, json: undefined }
    try {
      return { status, json: JSON.parse(text) as unknown }
    } catch (error) {
      throw this.failed(request, 'its answer cannot be read', { err: error, answer: text.slice(0, loggedMax) })
    }
  }

  /** An answer, or none, as the caller is told of it. */
  failed({ method, path, zone }: PowerDnsRequest, problem: string, details: object, unknown = false): ApiError {
    this.options.log.error({ ...details, method, path, zone }, `PowerDNS failed: ${problem}`)
    const message = `The DNS provider failed: ${problem}.`
    const extra = zone === undefined ? {} : { zone }
    return unknown && method !== 'GET'
      ? new OutcomeUnknown(message, extra)
      : new ApiError('upstream_error', message, extra)
  }

  /** Writes take turns. A 500 is asked again for as long as there is time: what another process writes is soon done. */
  async #exchange(request: PowerDnsRequest, deadline: Deadline): Promise<Exchanged> {
    if (request.method === 'GET') return this.#attempt(request, deadline)
    if (this.#queued === queuedMax) throw this.failed(request, 'too many changes are queued for it', {})
    this.#queued++
    try {
      return await this.#withLock('write', () => this.#attempts(request, deadline), deadline.remainingMs)
    } catch (error) {
      if (!(error instanceof LockTimeout)) throw error
      throw this.failed(request, 'the changes before this one took too long', {})
    } finally {
      this.#queued--
    }
  }

  async #attempts(request: PowerDnsRequest, deadline: Deadline): Promise<Exchanged> {
    const own = deadline.atMost(this.options.deadlineMs)
    for (let retries = 0; ; retries++) {
      const answer = await this.#attempt(request, own)
      if (answer.status !== 500 || retries === retriesMax || own.isOver) return answer
      await sleep(randomInt(retryWithinMs))
    }
  }

  async #attempt(request: PowerDnsRequest, deadline: Deadline): Promise<Exchanged> {
    const ms = Math.min(deadline.remainingMs, this.options.deadlineMs)
    if (ms === 0) throw this.failed(request, 'no time was left to ask it', {})
    try {
      const signal = AbortSignal.timeout(Math.ceil(ms))
      return await exchange({ ...request, url: this.#base + request.path, key: this.options.key, signal })
    } catch (error) {
      if (error instanceof DOMException && error.name === 'TimeoutError')
        throw this.failed(request, `it did not answer within ${Math.ceil(ms / 100) / 10} seconds`, {}, true)
      const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException
      if (code !== undefined && notSent.has(code)) throw this.failed(request, 'it cannot be reached', { err: error })
      throw this.failed(request, 'the connection to it broke', { err: error }, true)
    }
  }

  #refused(request: PowerDnsRequest, status: number, text: string): ApiError {
    const details = { status, answer: text.slice(0, loggedMax) }
    if (status === 401 || status === 403) return this.failed(request, 'it refuses the key of this server', details)
    if (status === 404 && request.method === 'PATCH')
      return this.failed(request, 'it does not have the zone, which the operator restores with svc dns sync', details)
    if (status >= 400 && status < 500) return this.failed(request, 'it refuses this change', details)
    return this.failed(request, 'it answered with an error', details, true)
  }
}
