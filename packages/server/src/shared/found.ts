import type { FoundKind } from '@svc/contract/limits'
import type { Account } from './account.js'

/** What the search of the console has found. */
export interface Found {
  readonly kind: FoundKind
  /** Its name. */
  readonly label: string
  /** What tells it from others of the same name; may be empty. */
  readonly detail: string
  /** The id or the name that identifies it; the zone and the id of a record. */
  readonly path: readonly string[]
}

/**
 * Finds what an account has by a part of its name.
 * @param text trimmed and not empty
 * @param signal aborted when nobody waits for the result any more
 * @returns at most `foundOfKindMax` of each kind of an area, the best first
 */
export type Search = (account: Account, text: string, signal: AbortSignal) => Promise<readonly Found[]>

/** The most results of one kind. An area with several kinds in one table has as many of all of them. */
export const foundOfKindMax = 5
