import { AcmeError, fieldsOf, readProblem, wordsOf, type Problem } from './errors.js'
import { requireUrl } from './directory.js'
import { challengeTypes, type ChallengeType } from './proof.js'

/** The objects of RFC 8555, section 7.1, as far as the client reads them. */

export type OrderStatus = 'pending' | 'ready' | 'processing' | 'valid' | 'invalid'

export interface Order {
  readonly status: OrderStatus
  readonly authorizations: readonly URL[]
  readonly finalize: URL
  /** Undefined until the order is valid. */
  readonly certificate: URL | undefined
  readonly problem: Problem | undefined
}

export type AuthorizationStatus = 'pending' | 'valid' | 'invalid' | 'deactivated' | 'expired' | 'revoked'

export interface Authorization {
  /** Without the asterisk of a wildcard. */
  readonly name: string
  readonly isWildcard: boolean
  readonly status: AuthorizationStatus
  /** Those of known types. */
  readonly challenges: readonly Challenge[]
}

export interface Challenge {
  readonly type: ChallengeType
  readonly url: URL
  readonly token: string
  readonly problem: Problem | undefined
}

const orderStatuses: readonly OrderStatus[] = ['pending', 'ready', 'processing', 'valid', 'invalid']
const authorizationStatuses: readonly AuthorizationStatus[] = [
  'pending',
  'valid',
  'invalid',
  'deactivated',
  'expired',
  'revoked',
]

/** At least 128 bits in base64url (RFC 8555, section 8). A token becomes part of a path. */
const token = /^[\w-]{20,128}$/

const dnsName = /^[a-z0-9._-]{1,253}$/i

/** @throws AcmeError `unusable_answer` */
export function readOrder(json: Readonly<Record<string, unknown>>): Order {
  const { status, authorizations, finalize, certificate, error } = json
  return {
    status: requireOneOf(orderStatuses, status, 'order'),
    authorizations: Array.isArray(authorizations)
      ? authorizations.map((url: unknown) => requireUrl('authorizations', url))
      : [],
    finalize: requireUrl('finalize', finalize),
    certificate: certificate === undefined ? undefined : requireUrl('certificate', certificate),
    problem: error === undefined ? undefined : readProblem(fieldsOf(error)),
  }
}

/** @throws AcmeError `unusable_answer` */
export function readAuthorization(json: Readonly<Record<string, unknown>>): Authorization {
  const { status, identifier, wildcard, challenges } = json
  const { value } = fieldsOf(identifier)
  if (typeof value !== 'string' || !dnsName.test(value))
    throw new AcmeError('unusable_answer', 'The CA gave an authorization without a name.')
  return {
    name: value.toLowerCase(),
    isWildcard: wildcard === true,
    status: requireOneOf(authorizationStatuses, status, 'authorization'),
    challenges: Array.isArray(challenges) ? challenges.map(fieldsOf).flatMap(readChallenge) : [],
  }
}

function readChallenge(json: Readonly<Record<string, unknown>>): Challenge[] {
  const type = challengeTypes.find((known) => known === json['type'])
  if (type === undefined) return []
  const given = json['token']
  if (typeof given !== 'string' || !token.test(given))
    throw new AcmeError('unusable_answer', `The CA gave a ${type} challenge without a usable token.`)
  const problem = json['error'] === undefined ? undefined : readProblem(fieldsOf(json['error']))
  return [{ type, token: given, url: requireUrl('challenge', json['url']), problem }]
}

function requireOneOf<T extends string>(known: readonly T[], status: unknown, thing: string): T {
  const found = known.find((each) => each === status)
  if (found === undefined) throw new AcmeError('unusable_answer', `The CA gave an ${thing} without a known status.`)
  return found
}

/** The name as it was ordered: a wildcard as `*.example.net`. */
export const fullNameOf = ({ name, isWildcard }: Pick<Authorization, 'name' | 'isWildcard'>): string =>
  isWildcard ? `*.${name}` : name

/** The error for an authorization that is not valid, in the CA's words. */
export function challengeFailed(authorization: Authorization): AcmeError {
  const { status, challenges } = authorization
  const failed = challenges.find((challenge) => challenge.problem !== undefined)
  const words = failed?.problem === undefined ? `the authorization is ${status}` : wordsOf(failed.problem)
  const how = failed === undefined ? '' : ` with ${failed.type}`
  return new AcmeError('challenge_failed', `The CA could not verify ${fullNameOf(authorization)}${how}: ${words}.`, {
    problem: failed?.problem,
  })
}

/** The error for an order that the CA has given up. */
export const orderInvalid = ({ problem }: Order): AcmeError =>
  new AcmeError(
    'order_invalid',
    `The CA gave up the order: ${problem === undefined ? 'it gave no reason' : wordsOf(problem)}.`,
    { problem },
  )
