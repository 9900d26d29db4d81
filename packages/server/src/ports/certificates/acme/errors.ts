import { withoutInvisible } from '@svc/contract/limits'

/** Why a call to a CA failed. */
export type AcmeFailure =
  /** The connection failed or broke, or the CA answered 500 or more. */
  | 'unavailable'
  /** The CA did not answer, or did not finish its work, within the deadline. */
  | 'timeout'
  /** The answer does not follow RFC 8555, or is too long. */
  | 'unusable_answer'
  /** The CA wants no requests before `retryAt`. */
  | 'rate_limited'
  /** The CA refused a request, and its problem document says why. */
  | 'refused'
  /** The CA could not verify the proof of a name. */
  | 'challenge_failed'
  /** The CA offers no challenge that this server can answer for a name. */
  | 'no_challenge'
  /** The order became invalid after its names were proven. */
  | 'order_invalid'
  /** The certificate that came is not one that can be served. */
  | 'unusable_certificate'
  /** The settings do not fit the CA: a missing external account binding, or an unknown profile. */
  | 'settings'

export interface AcmeErrorDetails {
  readonly problem?: Problem | undefined
  /** When the CA takes requests again, in milliseconds since the epoch. */
  readonly retryAt?: number | undefined
  readonly cause?: unknown
}

/** A call to a CA failed. The message is one sentence for the operator, with the CA's own words if it gave some. */
export class AcmeError extends Error {
  override readonly name = 'AcmeError'
  readonly problem: Problem | undefined
  readonly retryAt: number | undefined

  constructor(
    readonly failure: AcmeFailure,
    message: string,
    { problem, retryAt, cause }: AcmeErrorDetails = {},
  ) {
    super(message, { cause })
    this.problem = problem
    this.retryAt = retryAt
  }
}

/** What a CA says about a failure (RFC 8555, section 6.7). */
export interface Problem {
  /** Without the prefix `urn:ietf:params:acme:error:`, such as `rateLimited`; empty if missing. */
  readonly type: string
  /** One line, with the details of the subproblems; at most 500 characters. */
  readonly detail: string
}

const typePrefix = 'urn:ietf:params:acme:error:'
const typeMaxLength = 64
const detailMaxLength = 500
const subproblemsMax = 5

/** Reads a problem document. Missing and malformed fields are left out. */
export function readProblem(document: Readonly<Record<string, unknown>>): Problem {
  const { type, detail, subproblems } = document
  const parts: readonly unknown[] = Array.isArray(subproblems) ? subproblems.slice(0, subproblemsMax) : []
  const details = [{ detail }, ...parts].flatMap((part) => {
    const { identifier, detail: words } = fieldsOf(part)
    if (typeof words !== 'string' || words === '') return []
    const { value } = fieldsOf(identifier)
    return typeof value === 'string' ? [`${value}: ${words}`] : [words]
  })
  return {
    type: typeof type === 'string' ? visible(type.replace(typePrefix, ''), typeMaxLength) : '',
    detail: visible(details.join('; '), detailMaxLength),
  }
}

const visible = (text: string, maxLength: number): string => {
  const line = withoutInvisible(text.toWellFormed().replaceAll(/\s/g, ' '))
  return line.length > maxLength ? `${line.slice(0, maxLength - 1).toWellFormed()}…` : line
}

/** The problem as a part of a sentence: `DNS problem: NXDOMAIN (dns)`. */
export const wordsOf = ({ type, detail }: Problem): string =>
  detail === '' ? type || 'it gave no reason' : `${detail.replace(/\.$/, '')}${type === '' ? '' : ` (${type})`}`

/** The fields of a JSON object; none for any other value. */
export const fieldsOf = (json: unknown): Readonly<Record<string, unknown>> =>
  typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {}
