/**
 * The one table of error codes (specification, section 7) and the status each is answered with.
 * `forbidden` and `internal_error` are the two additions it forces: see docs/open-details.md.
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

/** Why a code that section 7 does not list exists all the same. */
export const openErrorCodes: Partial<Record<ErrorCode, string>> = {
  forbidden: 'A resource that belongs to another account and is no zone: section 1 asks for 403 and names no code.',
  internal_error: 'A fault of the server itself: the table of section 7 has no code for it.',
}

/** What some errors add to the envelope (section 2.1). */
export interface ErrorExtra {
  zone?: string
  required_scopes?: readonly string[]
  token_scopes?: readonly string[]
}

/** The only thing an area throws on purpose. Whatever else is thrown is a bug and answers `internal_error`. */
export class ApiError extends Error {
  override readonly name = 'ApiError'

  /**
   * @param message for the caller: names the field, what came, and what would do
   * @param extra further keys of the envelope
   * @param headers response headers that belong to this error (`Allow`, `Retry-After`)
   */
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly extra: ErrorExtra = {},
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
  }

  get status(): number {
    return errorStatus[this.code]
  }
}

/** 400 about one field of the input: `badRequest('ttl', 'must be 60 to 2592000 seconds, not 5')`. */
export const badRequest = (field: string, problem: string) => new ApiError('bad_request', `${field} ${problem}`)

/** 404 for an id or a name that exists nowhere. */
export const notFound = (what: string) => new ApiError('not_found', `There is no ${what}.`)

/** 403 for a resource of another account (specification, section 1). */
export const forbidden = (what: string) => new ApiError('forbidden', `This ${what} belongs to another account.`)
