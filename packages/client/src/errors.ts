import type { ErrorCode, ErrorExtra } from '@svc/contract'

/** The answer of an operation that failed, as it came (specification, section 2.1). */
export interface FailureEnvelope extends ErrorExtra {
  readonly success: false
  readonly error: string
  readonly message: string
  readonly request_id: string
}

/** The server refused: what it said, and the id its log knows the request by. */
export class SvcError extends Error {
  override readonly name = 'SvcError'
  /** One of section 7; a newer server may know more. */
  readonly code: ErrorCode | (string & Record<never, never>)
  readonly requestId: string
  /** What some errors add: `zone`, `required_scopes`, `token_scopes`. */
  readonly extra: ErrorExtra & Readonly<Record<string, unknown>>

  constructor(
    readonly status: number,
    readonly envelope: FailureEnvelope,
  ) {
    const { success: _, error, message, request_id, ...extra } = envelope
    super(message)
    this.code = error
    this.requestId = request_id
    this.extra = extra
  }
}

/**
 * The API gave no usable answer. Except for `answer` and `redirect`, whether the request took effect is unknown.
 * - `network`: the server could not be reached, or the connection broke
 * - `timeout`: it took longer than `timeoutMs`
 * - `answer`: something else answered, or not in the envelope: a proxy, another server
 * - `redirect`: the answer names another address, which is not followed
 */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'

  constructor(
    readonly reason: 'network' | 'timeout' | 'answer' | 'redirect',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** The call cannot be made as it is asked for: nothing was sent. */
export class InputError extends TypeError {
  override readonly name = 'InputError'
}
