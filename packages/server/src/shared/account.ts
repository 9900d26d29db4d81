import type { TokenScope } from '@svc/contract'
import type { Actor } from './actor.js'
import type { Rules } from './rules.js'
import type { AccountLimits } from './account-limits.js'

/** The account that a request acts for: the first parameter of a store's methods. */
export interface Account {
  readonly id: number
  readonly email: string
  readonly nickname: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** Those that the operator has set for it; read them with `limitsOf`. */
  readonly limits: AccountLimits
  /** The rules of the token of the request; undefined for a caller without rules. Methods that read or change a thing check them. */
  readonly rules?: Rules | undefined
  /** What acts for it. An account that was read without a request acts for the operator. */
  readonly actor: Actor
}

/** What writers of records need of an account. */
export type ActingAccount = Pick<Account, 'id' | 'rules' | 'actor'>

/** The browser session of a caller. Times are milliseconds since the epoch. */
export interface CallerSession {
  readonly id: number
  readonly createdAt: number
  /** When the password was last entered in it. */
  readonly passwordAt: number
}

/** An authenticated caller. */
export interface Caller {
  readonly account: Account
  readonly scopes: readonly TokenScope[]
  /** The browser session of the request; null for a request with a token. */
  readonly session: CallerSession | null
  /** The token of the request; null for a request with a session. */
  readonly tokenId: number | null
}

/**
 * Authenticates a caller by a token or the secret in a session cookie.
 * @param ip returns the address of the client; called only if it is needed
 * @returns undefined for a secret that is unknown, or does not work now or from this address; a promise only if the database must be
 *   read, because a promise delays the handler
 */
export type Authenticate = (secret: string, ip: () => string) => Caller | undefined | Promise<Caller | undefined>
