import { guardedExchange, type ExchangeAnswer } from '../../bounded-fetch.js'
import type { Deadline } from '../../dns/deadline.js'
import type { GuardedConnections } from '../../outbound/guarded-connections.js'
import { TargetError } from '../../outbound/port.js'
import { reasonOf } from '../../outbound/reason.js'
import { retryAfterMs } from '../../../shared/retry-after.js'
import { AcmeError, fieldsOf, readProblem, wordsOf, type AcmeErrorDetails } from './errors.js'
import { signRequest, type AccountKey, type Signer } from './jws.js'

/** The time of one piece of work with a CA. */
export interface AcmeTime {
  /** For all requests and waits together. */
  readonly deadline: Deadline
  readonly signal: AbortSignal
}

export interface AcmeAnswer extends ExchangeAnswer {
  /** The body, if it is JSON. */
  readonly json: Readonly<Record<string, unknown>>
  /** The header Retry-After in milliseconds. */
  readonly waitMs: number | undefined
}

interface AcmeRequest {
  readonly method: 'GET' | 'HEAD' | 'POST'
  readonly accept?: string
  readonly body?: string
}

/** Milliseconds for one request. Some CAs sign while the client waits for the answer to `finalize`. */
const requestMs = 30_000

/** The longest answer: chains have about 8 kB. `JSON.parse` of this takes at most 10 ms. */
const answerMaxBytes = 128 * 1024

/** A CA may forget its nonces at any time, but not at each request. */
const noncesRefusedMax = 5

const noncesKeptMax = 4
const nonceMaxLength = 512

/** The longest wait that counts, in milliseconds: Let's Encrypt has limits per week. */
const retryAfterMaxMs = 7 * 86_400_000

/** Identifies the client, as RFC 8555, section 6.1, requires. */
const userAgent = 'svc (ACME client)'

/** Sends requests to a CA: nonces, signatures, and errors in the CA's words. Requests of one session may overlap. */
export class AcmeSession {
  readonly #nonces: string[] = []

  constructor(
    private readonly connections: Pick<GuardedConnections, 'request'>,
    private readonly accountKey: AccountKey,
  ) {}

  /** Reads a document without a signature. @throws AcmeError */
  get(url: URL, time: AcmeTime): Promise<AcmeAnswer> {
    return this.#send(url, { method: 'GET' }, time)
  }

  /**
   * Sends a signed request. A refused nonce is replaced (RFC 8555, section 6.5).
   * @param payload undefined for POST-as-GET
   * @throws AcmeError; the reason of the signal if it is aborted
   */
  async post(
    url: URL,
    payload: object | undefined,
    { time, signer, newNonce, accept }: SignedTerms,
  ): Promise<AcmeAnswer> {
    for (let refused = 0; ; refused++) {
      const nonce = this.#nonces.pop() ?? (await this.#freshNonce(newNonce, time))
      const body = signRequest(payload, { ...signer, nonce, url: url.href }, this.accountKey)
      try {
        return await this.#send(url, { method: 'POST', body, ...(accept !== undefined && { accept }) }, time)
      } catch (error) {
        if (!(error instanceof AcmeError) || error.problem?.type !== 'badNonce' || refused === noncesRefusedMax)
          throw error
      }
    }
  }

  async #freshNonce(newNonce: URL, time: AcmeTime): Promise<string> {
    await this.#send(newNonce, { method: 'HEAD' }, time)
    const nonce = this.#nonces.pop()
    if (nonce === undefined) throw new AcmeError('unusable_answer', 'The CA gave no nonce.')
    return nonce
  }

  async #send(url: URL, { method, accept = 'application/json', body }: AcmeRequest, time: AcmeTime) {
    const { deadline, signal } = time
    signal.throwIfAborted()
    const jose = body === undefined ? [] : ['Content-Type', 'application/jose+json']
    const answer = await guardedExchange(url, {
      connections: this.connections,
      method,
      headers: ['Accept', accept, 'User-Agent', userAgent, ...jose],
      body,
      deadlineMs: Math.max(1, Math.min(deadline.remainingMs, requestMs)),
      maxBytes: answerMaxBytes,
      stop: signal,
    }).catch((error: unknown) => {
      signal.throwIfAborted()
      throw failureOf(error)
    })
    this.#keepNonce(answer.headers['replay-nonce'])
    const waitMs = retryAfterMs(answer.headers['retry-after'], Date.now())
    const read = { ...answer, waitMs, json: isJson(answer) ? parse(answer.text) : {} }
    if (answer.status < 200 || answer.status > 299) throw refusalOf(read)
    return read
  }

  #keepNonce(nonce: string | string[] | undefined): void {
    if (typeof nonce !== 'string' || nonce.length > nonceMaxLength || !/^[\w-]+$/.test(nonce)) return
    if (this.#nonces.length === noncesKeptMax) this.#nonces.shift()
    this.#nonces.push(nonce)
  }
}

export interface SignedTerms {
  readonly time: AcmeTime
  readonly signer: Signer
  /** Where the CA gives nonces. */
  readonly newNonce: URL
  /** The accepted media type; JSON by default. */
  readonly accept?: string
}

const isJson = ({ headers }: ExchangeAnswer): boolean =>
  /^application\/(?:problem\+)?json\b/i.test(headers['content-type'] ?? '')

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    return fieldsOf(JSON.parse(text))
  } catch (error) {
    throw new AcmeError('unusable_answer', 'The answer of the CA is not JSON.', { cause: error })
  }
}

/** Why there is no answer. */
function failureOf(cause: unknown): AcmeError {
  if (cause instanceof RangeError)
    return new AcmeError('unusable_answer', `The answer of the CA is longer than ${answerMaxBytes / 1024} KiB.`, {
      cause,
    })
  if (cause instanceof DOMException && cause.name === 'TimeoutError')
    return new AcmeError('timeout', 'The CA did not answer in time.', { cause })
  const reason = cause instanceof TargetError ? cause.message : reasonOf(cause)
  return new AcmeError('unavailable', `The CA cannot be reached: ${reason}`, { cause })
}

/** The error for an answer that is not a success. */
function refusalOf({ status, json, waitMs }: AcmeAnswer): AcmeError {
  const problem = readProblem(json)
  const retryAt = waitMs === undefined ? undefined : Date.now() + Math.min(waitMs, retryAfterMaxMs)
  const details: AcmeErrorDetails = { problem, retryAt }
  const words = problem.type === '' && problem.detail === '' ? `it answered ${status}` : wordsOf(problem)
  if (problem.type === 'rateLimited' || status === 429)
    return new AcmeError('rate_limited', `The CA limits the requests: ${words}.`, details)
  if (status >= 500) return new AcmeError('unavailable', `The CA failed: ${words}.`, details)
  // Other answers, such as a redirect or the page of a proxy, are not from a CA.
  if (problem.type === '') return new AcmeError('unusable_answer', `The URL does not lead to a CA: ${words}.`, details)
  return new AcmeError('refused', `The CA refused: ${words}.`, details)
}
