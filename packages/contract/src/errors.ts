/**
 * Every error code and its HTTP status (specification, section 7).
 * `forbidden` and `internal_error` are additions that the specification needs: see docs/open-details.md.
 */
export const errorStatus = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  forbidden_scope: 403,
  forbidden_zone: 403,
  not_found: 404,
  method_not_allowed: 405,
  internal_error: 500,
  upstream_error: 502,
} as const

export type ErrorCode = keyof typeof errorStatus

/** The error codes that only the console's door answers with: its operations are not those of the specification. */
export const consoleErrorStatus = {
  /** The operation needs a password that was entered in the last minutes. Then it can be repeated. */
  password_required: 403,
} as const

export type ConsoleErrorCode = keyof typeof consoleErrorStatus

/** Why a code exists that section 7 does not list. */
export const openErrorCodes: Partial<Record<ErrorCode, string>> = {
  forbidden: 'A resource that belongs to another account and is not a zone: section 1 asks for 403 and names no code.',
  internal_error: 'A fault of the server itself: the table of section 7 has no code for it.',
}

/** Further keys of the envelope for some errors (section 2.1). */
export interface ErrorExtra {
  zone?: string
  required_scopes?: readonly string[]
  token_scopes?: readonly string[]
}

/** A problem with one field of the input, also in the envelope. Commands show their flag in place of the field. */
export interface FieldProblem {
  /** `ttl`, or the path of a part: `scopes[1]`. */
  readonly field: string
  /** Follows the name of the field, unless it is the whole message; ends with a full stop. */
  readonly problem: string
}

/** The only error that areas throw on purpose. Any other error is a bug and is answered with `internal_error`. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly #about: FieldProblem | undefined

  /**
   * @param message for the caller: the field, what is wrong with its value, and what is accepted
   * @param extra further keys of the envelope
   * @param headers response headers that belong to this error (`Allow`, `Retry-After`)
   * @param about the parts of the message, if it is about one field
   */
  constructor(
    readonly code: ErrorCode | ConsoleErrorCode,
    message: string,
    readonly extra: ErrorExtra = {},
    readonly headers: Readonly<Record<string, string>> = {},
    about?: FieldProblem,
  ) {
    super(message)
    this.#about = about
  }

  /** The parts of the message, if it is about one field. */
  get about(): FieldProblem | undefined {
    return this.#about
  }

  get status(): number {
    return { ...errorStatus, ...consoleErrorStatus }[this.code]
  }
}

/** The message of 400 for a body that stopped for too long. The same request can succeed on a better line. */
export const lateBodyMessage = 'The request body did not arrive in time.'

/**
 * 400 for one field of the input: `badRequest('ttl', 'must be 60 to 2592000 seconds, not 5')`.
 * @param problem follows the name of the field; a missing full stop is added
 */
export function badRequest(field: string, problem: string): ApiError {
  const about = { field, problem: withFullStop(problem) }
  return new ApiError('bad_request', `${field} ${about.problem}`, {}, {}, about)
}

/**
 * 400 for one field of the input, if the field's name in front of the problem reads badly.
 * @param sentence the whole message; a missing full stop is added
 */
export function badRequestSentence(field: string, sentence: string): ApiError {
  const problem = withFullStop(sentence)
  return new ApiError('bad_request', problem, {}, {}, { field, problem })
}

const withFullStop = (text: string): string => (text.endsWith('.') ? text : `${text}.`)

/** 404 for an id or a name that does not exist. @param what for example `session 5` */
export const notFound = (what: string) => new ApiError('not_found', `There is no ${what}.`)

/** 403 for a resource of another account (specification, section 1). @param what for example `session` */
export const forbidden = (what: string) => new ApiError('forbidden', `This ${what} belongs to another account.`)
