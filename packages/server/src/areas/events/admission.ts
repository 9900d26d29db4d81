import { ApiError } from '@svc/contract/errors'

/** How many streams an account may have open on one process. */
const perAccountMax = 50

/** Of all accounts: half of the connections that a server has by default, so that requests still find one. */
const perProcessMax = 1_000

/** The seconds after which a client that was one too many should try again. */
const retryAfter = 30

/** Counts the open streams. */
export class StreamAdmission {
  #count = 0
  readonly #byAccount = new Map<number, number>()

  get count(): number {
    return this.#count
  }

  /** Counts a stream. @returns a function that ends it @throws ApiError if it would be one too many */
  admit(accountId: number): () => void {
    const ofAccount = this.#byAccount.get(accountId) ?? 0
    if (ofAccount >= perAccountMax)
      throw tooMany(
        `The account has ${String(perAccountMax)} open streams of events, as many as it may have: close one`,
      )
    if (this.#count >= perProcessMax)
      throw tooMany(`The server has ${String(perProcessMax)} open streams of events, as many as it may have`)
    this.#count++
    this.#byAccount.set(accountId, ofAccount + 1)
    return () => {
      this.#count--
      const left = (this.#byAccount.get(accountId) ?? 1) - 1
      if (left === 0) this.#byAccount.delete(accountId)
      else this.#byAccount.set(accountId, left)
    }
  }
}

/** 400: the table of error codes has no 429 (specification, section 7). */
const tooMany = (message: string) =>
  new ApiError(
    'bad_request',
    `${message}. Try again in ${String(retryAfter)} seconds.`,
    {},
    { 'retry-after': String(retryAfter) },
  )
