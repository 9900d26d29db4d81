import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { keyedMutex, LockTimeout } from '../../../db/keyed-mutex.js'
import { boundedFetch, type BoundedAnswer } from '../../bounded-fetch.js'
import { Deadline } from '../deadline.js'
import { OutcomeUnknown, ProviderFailed } from '../port.js'

export interface PowerDnsApiOptions {
  /** Scheme, host and port. */
  readonly url: string
  readonly key: string
  /** Timeout of one request in milliseconds, including the body of its answer. */
  readonly deadlineMs: number
  readonly log: Logger
}

export interface PowerDnsRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** Below `/api/v1/servers/localhost`. */
  readonly path: string
  readonly body?: unknown
  /** The statuses of a success. */
  readonly expect: readonly number[]
  /** The zone that the request reads or changes. */
  readonly zone?: string
}

export interface PowerDnsAnswer {
  readonly status: number
  /** The body of a 200 answer to GET, otherwise undefined. */
  readonly json: unknown
}

/** A zone of 10,000 records has 2 MB, or more with long texts. */
const answerMaxBytes = 128 * 1024 * 1024

/** How many characters of an error answer are logged. */
const loggedMax = 500

/** Errors that prove that the request was not sent. */
const notSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** Maximum number of queued writes: more than PowerDNS could process before their deadlines. */
const queuedMax = 1000

const retriesMax = 3
const retryWithinMs = 100

/**
 * A client of PowerDNS's HTTP API, version 1 (https://doc.powerdns.com/authoritative/http-api/). Failures are logged in full.
 * The error message for the API's client contains no details of the server.
 *
 * Writes are sent one at a time, because PowerDNS fails with concurrent ones: with SQLite it answers 500 "database is locked"
 * to all but one (PowerDNS/pdns#14564, fixed by #14576). With other databases it duplicates records or deadlocks (#7128, #8663).
 */
export class PowerDnsApi {
  readonly #base: string
  readonly #withLock = keyedMutex()
  #queued = 0

  constructor(private readonly options: PowerDnsApiOptions) {
    this.#base = `${options.url}/api/v1/servers/localhost`
  }

  /**
   * @param deadline for the queue and the request together; one request never takes longer than `deadlineMs`
   * @throws ApiError `upstream_error` for an unexpected status, and OutcomeUnknown if a write may have been applied
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

  /** Logs a failure, and returns the error for the caller. */
  failed({ method, path, zone }: PowerDnsRequest, problem: string, details: object, unknown = false): ProviderFailed {
    this.options.log.error({ ...details, method, path, zone }, `PowerDNS failed: ${problem}`)
    return unknown && method !== 'GET' ? new OutcomeUnknown(problem, zone) : new ProviderFailed(problem, zone)
  }

  /** Sends writes one at a time. A 500 is retried until the deadline, because another process may be writing. */
  async #exchange(request: PowerDnsRequest, deadline: Deadline): Promise<BoundedAnswer> {
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

  async #attempts(request: PowerDnsRequest, deadline: Deadline): Promise<BoundedAnswer> {
    const own = deadline.atMost(this.options.deadlineMs)
    for (let retries = 0; ; retries++) {
      const answer = await this.#attempt(request, own)
      if (answer.status !== 500 || retries === retriesMax || own.isOver) return answer
      await sleep(randomInt(retryWithinMs))
    }
  }

  async #attempt(request: PowerDnsRequest, deadline: Deadline): Promise<BoundedAnswer> {
    const ms = Math.min(deadline.remainingMs, this.options.deadlineMs)
    if (ms === 0) throw this.failed(request, 'the deadline passed before the request was sent', {})
    try {
      return await this.#fetch(request, ms)
    } catch (error) {
      if (error instanceof DOMException && error.name === 'TimeoutError')
        throw this.failed(request, `it did not answer within ${Math.ceil(ms / 100) / 10} seconds`, {}, true)
      const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException
      if (code !== undefined && notSent.has(code)) throw this.failed(request, 'it cannot be reached', { err: error })
      throw this.failed(request, 'the connection to it broke', { err: error }, true)
    }
  }

  /** `fetch` reuses connections. PowerDNS closes each one after its answer, but a proxy in front of it may keep them open. */
  #fetch({ method, path, body }: PowerDnsRequest, deadlineMs: number): Promise<BoundedAnswer> {
    return boundedFetch(this.#base + path, {
      method,
      headers: { 'x-api-key': this.options.key, accept: 'application/json', 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      deadlineMs,
      maxBytes: answerMaxBytes,
      // A redirect would send the key to another server.
      redirects: 'error',
    })
  }

  #refused(request: PowerDnsRequest, status: number, text: string): ProviderFailed {
    const details = { status, answer: text.slice(0, loggedMax) }
    if (status === 401 || status === 403) return this.failed(request, 'it refuses the key of this server', details)
    if (status === 404 && request.method === 'PATCH')
      return this.failed(request, 'it does not have the zone, which the operator restores with svc dns sync', details)
    if (status >= 400 && status < 500) return this.failed(request, 'it refuses this change', details)
    return this.failed(request, 'it answered with an error', details, true)
  }
}
