import type { Logger } from 'pino'
import { ApiError } from '@svc/contract/errors'
import { OutcomeUnknown } from '../port.js'

export interface PowerDnsApiOptions {
  /** Scheme, host and port. */
  readonly url: string
  readonly key: string
  /** What one request takes at most, its body included. */
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

/** The most an answer may weigh: a zone of 10,000 records has 2 MB, long texts apart. */
const answerMaxBytes = 128 * 1024 * 1024

/** How much of an answer that is a failure goes into the log. */
const loggedMax = 500

/** What can only happen before a request was sent. */
const notSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/**
 * PowerDNS's HTTP API, version 1 (https://doc.powerdns.com/authoritative/http-api/). Its own web server closes each
 * connection after the answer; `fetch` reuses those of a proxy in front of it that does not. What goes wrong is logged
 * whole; the caller is told no more than is theirs to know.
 */
export class PowerDnsApi {
  readonly #base: string

  constructor(private readonly options: PowerDnsApiOptions) {
    this.#base = `${options.url}/api/v1/servers/localhost`
  }

  /** @throws ApiError `upstream_error` for a status that was not expected, and OutcomeUnknown where a write may have worked */
  async send(request: PowerDnsRequest): Promise<PowerDnsAnswer> {
    const { status, text } = await this.#exchange(request)
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

  async #exchange(request: PowerDnsRequest): Promise<{ status: number; text: string }> {
    const { key, deadlineMs } = this.options
    try {
      const response = await fetch(this.#base + request.path, {
        method: request.method,
        headers: { 'x-api-key': key, accept: 'application/json', 'content-type': 'application/json' },
        body: request.body === undefined ? null : JSON.stringify(request.body),
        signal: AbortSignal.timeout(deadlineMs),
        // The key is for nobody else.
        redirect: 'error',
      })
      return { status: response.status, text: await bounded(response) }
    } catch (error) {
      if (error instanceof DOMException && error.name === 'TimeoutError')
        throw this.failed(request, `it did not answer within ${deadlineMs / 1000} seconds`, {}, true)
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

async function bounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    // Leaving the loop cancels the body, and with it the connection.
    if (bytes > answerMaxBytes) throw new Error(`PowerDNS answered more than ${answerMaxBytes} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
