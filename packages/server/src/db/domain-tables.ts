import type { Generated } from 'kysely'

/** The tables of the domain portfolio (see `Tables`). */
export interface DomainTables {
  domain: DomainTable
  domain_calendar: DomainCalendarTable
}

/** A domain of an account. Several accounts may have the same one. */
export interface DomainTable {
  id: Generated<number>
  account_id: number
  /** In lower case; IDNs in punycode. Unique in the account. */
  name: string
  /** The top-level domain: the registry that is asked. Empty for all that the Public Suffix List does not know. */
  tld: string
  /** Empty without a note. */
  note: string
  /** Null if unknown, like the times. */
  registrar: string | null
  expires_at: number | null
  /** When the registry gave the registration; null before the first time. */
  synced_at: number | null
  /** The registration as answers show it: a JSON object. Lists are put together from it without formatting 10,000 dates. */
  registration: string
  /** When the registration is refreshed next. */
  due_at: number
  /** Refreshes that have failed since the last success. */
  failures: number
  /** Counts the changes of what the calendar shows. */
  revision: number
  /** Of the last of these changes. */
  changed_at: number
}

/** The secret address of an account's calendar. Only the SHA-256 of its key is stored. */
export interface DomainCalendarTable {
  account_id: number
  hash: Uint8Array
  created_at: number
}
