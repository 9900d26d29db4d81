import type { ErrorCode, ErrorExtra, FieldProblem } from '@svc/contract'

/** The body of an error answer (specification, section 2.1). */
export interface FailureEnvelope extends ErrorExtra {
  readonly success: false
  readonly error: string
  readonly message: string
  /** The field of the input that the message is about, such as `ttl` or `artifacts[0].name`. */
  readonly field?: string
  /** The message without the name of the field. */
  readonly problem?: string
  readonly request_id: string
}

/** An error answer of the server, with the request id for its log. */
export class SvcError extends Error {
  override readonly name = 'SvcError'
  /** A code of section 7; a newer server may have others. */
  readonly code: ErrorCode | (string & Record<never, never>)
  readonly requestId: string
  /** The field of the input that the message is about; undefined if it is not about one. */
  readonly field: string | undefined
  /** The message without the name of the field. */
  readonly problem: string | undefined
  /** Additional fields of some errors: `zone`, `required_scopes`, `token_scopes`. */
  readonly extra: ErrorExtra & Readonly<Record<string, unknown>>

  constructor(
    readonly status: number,
    readonly envelope: FailureEnvelope,
  ) {
    const { success: _, error, message, field, problem, request_id, ...extra } = envelope
    super(message)
    this.code = error
    // Another server may answer anything.
    this.field = typeof field === 'string' ? field : undefined
    this.problem = typeof problem === 'string' ? problem : undefined
    this.requestId = request_id
    this.extra = extra
  }
}

/**
 * The API gave no usable answer. Except for `answer` and `redirect`, whether the request took effect is unknown.
 * - `network`: the server could not be reached, or the connection broke
 * - `timeout`: it took longer than `timeoutMs`
 * - `answer`: the answer has no envelope: it is of a proxy or of another server
 * - `redirect`: the answer names another address, which is not followed
 */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
  /** The HTTP status of an `answer`: 502 to 504 are of a proxy that cannot reach the API. */
  readonly status: number | undefined

  constructor(
    readonly reason: 'network' | 'timeout' | 'answer' | 'redirect',
    message: string,
    { status, ...options }: ErrorOptions & { readonly status?: number } = {},
  ) {
    super(message, options)
    this.status = status
  }
}

/** The input or an option is invalid; no request was sent. */
export class InputError extends TypeError {
  override readonly name = 'InputError'

  /** @param about the field or option that the message is about, so that a command can call it by its flag */
  constructor(
    message: string,
    readonly about?: FieldProblem,
  ) {
    super(message)
  }
}
