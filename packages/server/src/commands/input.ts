import { ApiError } from '@svc/contract/errors'
import { allScopes, defaultScopes, isTokenScope, scopes, type TokenScope } from '@svc/contract/scopes'
import { normalEmail } from '../areas/account/accounts/email.js'
import { checkNickname } from '../areas/account/accounts/nickname.js'
import { checkPassword } from '../areas/account/accounts/passwords.js'
import { zoneName } from '../areas/dns/zones/name.js'
import { OperatorError } from '../shared/operator-error.js'
import { quoted } from '../shared/quoted.js'
import { refuseInvisible } from '../shared/visible-text.js'

/** Checks of the operator's input, before the database is opened. All throw OperatorError. */

const wrong = (message: string) => new OperatorError(message, 2)

/** An email address. @returns it in lower case */
export const checkEmail = (text: string): string => asTyped('The email', () => normalEmail(text))

/** The same rule as for the nickname in the profile. */
export const nickname = (text: string): string => asTyped('--nickname', () => checkNickname(text))

/** @returns the password as it is: spaces count */
export function password(text: string): string {
  asTyped('The password', () => {
    checkPassword(text)
  })
  return text
}

/** An apex domain or a reverse zone. @returns it in canonical form */
export const zone = (text: string): string => asTyped('ZONE', () => zoneName(text))

/** Applies a rule of the API for a field that has another name on the command line. */
function asTyped<R>(name: string, rule: () => R): R {
  try {
    return rule()
  } catch (error) {
    throw inTermsOf(name, error, 2)
  }
}

/**
 * The error of a rule of the API as the command line says it.
 * @param name the flag or the argument that has the value of the field
 * @returns other errors unchanged
 */
export function inTermsOf(name: string, error: unknown, exitCode: 1 | 2 = 1): unknown {
  if (!(error instanceof ApiError) || error.about === undefined) return error
  const { message, about } = error
  return new OperatorError(about.problem === message ? message : `${name} ${about.problem}`, exitCode, { cause: error })
}

/** Scopes, one by one or joined by commas; the default scopes if none are given. */
export function tokenScopes(given: readonly string[]): readonly TokenScope[] {
  const names = new Set(given.flatMap((text) => text.split(',')).map((text) => text.trim()))
  names.delete('')
  if (names.size === 0) return defaultScopes
  return [...names].map((name) => {
    if (isTokenScope(name)) return name
    throw wrong(`There is no scope ${quoted(name)}; the scopes are ${scopes.join(', ')}, and ${allScopes} for all.`)
  })
}

/** As long as the console allows. */
const longestName = 64

/** @param flag the one that has the name */
export function tokenName(text: string, flag = '--name'): string {
  const name = text.trim()
  const length = Array.from(name).length
  if (length === 0 || length > longestName)
    throw wrong(`${flag} must have 1 to ${String(longestName)} characters, not ${String(length)}.`)
  asTyped(flag, () => {
    refuseInvisible('name', name)
  })
  return name
}
