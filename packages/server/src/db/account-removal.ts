import type { Account } from '../shared/account.js'
import type { Database } from './port.js'

/** One part of the deletion of an account. */
export interface RemovedPart {
  /** Whether the area has nothing of the account any more. */
  readonly isDone: boolean
  /** Keys of objects that no row refers to any more: the caller removes them after the commit. */
  readonly objects: readonly string[]
}

/** What the deletion of an account needs. */
export interface RemovalDependencies {
  readonly db: Database
  /** Removes an account from a zone, also at an external provider. @throws ApiError `upstream_error` */
  readonly publisher: { removeFromZone(account: Pick<Account, 'id'>, zone: string): Promise<void> }
}

/**
 * Removes a part of what an account has in one area, for the operator's command that deletes the account. A part is so small that
 * other writers wait for less than 100 ms. It is called again until it is done, and may be called again after that.
 */
export type RemovePart = (dependencies: RemovalDependencies, accountId: number) => Promise<RemovedPart>

/** A part without objects. */
export const removedRows = (isDone: boolean): RemovedPart => ({ isDone, objects: [] })
