import type { Generated } from 'kysely'

/**
 * One type per table. Times are milliseconds since the epoch, digests are bytes, lists are JSON text: what SQLite and
 * PostgreSQL both keep and give back alike.
 */
export interface Tables {
  account: AccountTable
  token: TokenTable
  session: SessionTable
  sign_in_failure: SignInFailureTable
  exchange_rates: ExchangeRatesTable
}

/** Whoever signs in and owns things. */
export interface AccountTable {
  id: Generated<number>
  /** Lower case; unique. */
  email: string
  /** Empty when none is set. */
  nickname: string
  /** argon2id in PHC string form. */
  password_hash: string
  created_at: number
}

/** A Bearer token: only the SHA-256 of its value is kept. */
export interface TokenTable {
  id: Generated<number>
  account_id: number
  name: string
  /** The first characters of the value, to tell tokens apart. */
  prefix: string
  hash: Uint8Array
  /** Scopes joined by spaces (RFC 6749, 3.3). */
  scopes: string
  created_at: number
  last_used_at: number | null
}

/** A browser session: only the SHA-256 of its cookie is kept. */
export interface SessionTable {
  id: Generated<number>
  account_id: number
  hash: Uint8Array
  ip: string
  user_agent: string
  created_at: number
  last_seen_at: number
}

/** Failed sign-ins in a row, by email and network, whether or not the email has an account. */
export interface SignInFailureTable {
  /** SHA-256 of what is counted: nobody's address book, and of one size. */
  key: Uint8Array
  failures: number
  /** No attempt is looked at before this time. */
  blocked_until: number
}

/** The last good exchange rates; one row. */
export interface ExchangeRatesTable {
  id: number
  fetched_at: number
  /** JSON: code to how much of it one US dollar buys. */
  rates: string
}
