import { requiredScopes, type Operation } from '@svc/contract'
import type { InputError, SvcError } from '@svc/client'
import { flagOf } from './api-flags.js'

/** The flags of the fields that a command line can give, by the names of the fields. */
export type FlagNames = ReadonlyMap<string, string>

/** A call that the server refused. */
interface RefusedCall {
  readonly op: Operation
  readonly flags: FlagNames
  readonly baseUrl: string
  readonly hasToken: boolean
}

/** `forbidden_scope: … (req_…)`: what the user of a command can do about an error of the API. */
export const serverErrorText = (error: SvcError, call: RefusedCall): string =>
  `${error.code}: ${sentenceOf(error, call)} (${error.requestId})`

/** The error of the client, with the flag instead of the field. */
export function inputErrorText({ about, message }: InputError): string {
  if (about === undefined) return message
  return `${about.field === 'token' ? '--token or SVC_TOKEN' : flagOf(about.field)} ${about.problem}`
}

function sentenceOf(error: SvcError, call: RefusedCall): string {
  switch (error.code) {
    case 'unauthorized':
      return unauthorized(call)
    case 'forbidden_scope':
      return forbiddenScope(error, call)
    case 'bad_request':
      return withFlag(error, call.flags)
    case 'not_found':
      return `${error.message}${pathHint(call.baseUrl)}`
    default:
      return error.message
  }
}

function unauthorized({ op, hasToken }: RefusedCall): string {
  const problem = hasToken
    ? 'The token is unknown or revoked: set SVC_TOKEN or pass --token with a valid one.'
    : 'This operation needs a token: set SVC_TOKEN or pass --token.'
  return `${problem} ${howToCreate(requiredScopes(op)[0])}`
}

function forbiddenScope({ extra }: SvcError, { op }: RefusedCall): string {
  const needed = textsOf(extra.required_scopes) ?? requiredScopes(op)
  const given = textsOf(extra.token_scopes)
  const has = given === undefined ? 'The token lacks a scope' : `The token has only ${given.join(', ')}`
  return `${has}; this operation needs ${needed.join(' or ')}. ${howToCreate(needed[0])}`
}

/** The command for the server's operator. Without a scope, a token gets the default one. */
const howToCreate = (scope: string | undefined): string =>
  `On the server, svc token add EMAIL --name NAME${scope === undefined ? '' : ` --scope ${scope}`} creates one.`

/** Another server may answer anything. */
const textsOf = (value: unknown): string[] | undefined =>
  Array.isArray(value) && value.length > 0 ? value.map(String) : undefined

/** The flag in place of the field. A problem that is a whole sentence stays as it is. */
function withFlag({ message, field, problem }: SvcError, flags: FlagNames): string {
  if (field === undefined || problem === undefined || problem === message) return message
  const [name = ''] = field.split(/[.[]/, 1)
  const flag = flags.get(name)
  // `--scopes[1]` for `scopes[1]`.
  return flag === undefined ? message : `${flag}${field.slice(name.length)} ${problem}`
}

/** The paths of operations begin with /v1, so a base URL that ends with it has it twice. */
const pathHint = (baseUrl: string): string =>
  /\/v1\/*$/.test(new URL(baseUrl).pathname) ? ' SVC_URL and --url are the address without /v1.' : ''
