import { ApiError } from '@svc/contract'
import type { Bytes } from '../../ports/blobs/port.js'
import { Slots } from '../../shared/slots.js'
import type { ByteLimits } from '../handler.js'

/** How many requests with bytes of one account run at a time. */
const requestsMax = 16

/** How often limits are read before a refusal: each of the other requests can end in the meantime. */
const attemptsMax = requestsMax

/** How many more of its requests may wait, and for how long, in milliseconds. A client may start hundreds at the same time. */
const waitingMax = 256
const defaultWaitMs = 10_000

/** The running requests of one account. */
interface Running {
  readonly slots: Slots
  /** Requests that run or wait. */
  users: number
  readonly requests: Set<RequestBytes>
  /** Bytes of the running requests, and `kept`. */
  bytes: number
  /** Bytes of ended requests that rows refer to, since the account was idle. */
  kept: number
  /** How many requests have got their last byte, since the account was idle. */
  endings: number
}

/**
 * Counts the bytes of an account's requests that no row counts yet, so that parallel requests together stay within its limit. Each
 * process counts its own requests: several processes allow as much each, until their rows are committed.
 */
export class BytesInFlight {
  /** By the id of the account. An account without requests is forgotten. */
  readonly #accounts = new Map<number | undefined, Running>()

  /** @param waitMs the longest wait for other requests of the account; tests use a shorter one */
  constructor(private readonly waitMs = defaultWaitMs) {}

  /**
   * Runs a request, after others of the account if many are running.
   * @param accountId undefined for unauthenticated callers, who count as one account
   * @throws ApiError `bad_request` if too many requests of the account are running
   */
  async run<R>(accountId: number | undefined, work: (own: RequestBytes) => Promise<R>): Promise<R> {
    const account = this.#accounts.get(accountId) ?? newRunning()
    this.#accounts.set(accountId, account)
    account.users++
    try {
      if (!(await account.slots.take(performance.now() + this.waitMs))) throw tooManyRequests()
      return await runOne(account, work).finally(() => {
        account.slots.release()
      })
    } finally {
      account.users--
      if (account.users === 0) this.#accounts.delete(accountId)
    }
  }
}

const newRunning = (): Running => ({
  slots: new Slots(requestsMax, waitingMax),
  users: 0,
  requests: new Set(),
  bytes: 0,
  kept: 0,
  endings: 0,
})

function runOne<R>(account: Running, work: (own: RequestBytes) => Promise<R>): Promise<R> {
  const own = new RequestBytes(account)
  account.requests.add(own)
  const result = work(own).finally(() => {
    account.requests.delete(own)
    own.leave()
  })
  own.ended = result.then(
    () => undefined,
    () => undefined,
  )
  return result
}

const tooManyRequests = () =>
  new ApiError(
    'bad_request',
    `The account already has ${requestsMax} requests that send bytes. Repeat this one when one of them has ended.`,
  )

/** Limits, and `Running.kept` when they were asked for: they consider these bytes as used. */
interface Reading {
  readonly limits: ByteLimits
  readonly kept: number
}

/** The bytes of one request. */
export class RequestBytes {
  /** Whether a row refers to the bytes. */
  isKept = false
  /** Resolves when the bytes are counted by a row or removed. */
  ended = Promise.resolve()
  #isEnding = false
  #size = 0

  constructor(private readonly account: Running) {}

  /** @param ask reads the limits from the database */
  async read(ask: () => Promise<ByteLimits>): Promise<Reading> {
    const { kept } = this.account
    return { limits: await ask(), kept }
  }

  /**
   * Passes bytes on while they are within the limits. Called once.
   * @param ask reads the limits again
   * @throws ApiError `bad_request` as soon as there are more than a limit
   */
  async *limited(bytes: Bytes, first: Reading, ask: () => Promise<ByteLimits>): AsyncGenerator<Uint8Array> {
    const { max, reason } = first.limits.request
    let reading = first
    try {
      for await (const chunk of bytes) {
        if (this.#size + chunk.length > max) throw new ApiError('bad_request', reason)
        if (this.#fits(chunk.length, reading)) this.#count(chunk.length)
        else reading = await this.#countAfterOthers(chunk.length, ask)
        yield chunk
      }
    } finally {
      this.#startEnding()
    }
  }

  /** Called once, when the request has ended. */
  leave(): void {
    if (this.isKept) this.account.kept += this.#size
    else this.account.bytes -= this.#size
  }

  #fits(length: number, { limits, kept }: Reading): boolean {
    return length === 0 || this.account.bytes - kept + length <= limits.account.max
  }

  #count(length: number): void {
    this.#size += length
    this.account.bytes += length
  }

  /**
   * Counts bytes that do not seem to fit. The bytes of an ending request may be counted twice, in its row and here, or may soon be
   * removed. So it waits for that end before a refusal.
   * @returns the limits by then
   * @throws ApiError `bad_request` if the bytes do not fit
   */
  async #countAfterOthers(length: number, ask: () => Promise<ByteLimits>): Promise<Reading> {
    for (let attempt = 1; ; attempt++) {
      const { endings } = this.account
      const isAnyEnding = this.#endingNow().length > 0
      const reading = await this.read(ask)
      if (this.#fits(length, reading)) {
        this.#count(length)
        return reading
      }
      const isExact = !isAnyEnding && endings === this.account.endings
      if (isExact || attempt === attemptsMax) {
        const others = this.account.bytes - reading.kept - this.#size
        // Now, not only in `limited`: another request that is about to be refused may fit without this one.
        this.#startEnding()
        throw new ApiError('bad_request', reading.limits.account.reason(others))
      }
      await Promise.all(this.#endingNow().map(({ ended }) => ended))
    }
  }

  #startEnding(): void {
    this.#isEnding = true
    this.account.endings++
  }

  #endingNow(): RequestBytes[] {
    return [...this.account.requests].filter((request) => request.#isEnding)
  }
}
