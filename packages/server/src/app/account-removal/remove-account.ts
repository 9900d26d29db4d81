import type { RemovalDependencies } from '../../db/account-removal.js'
import { OperatorError } from '../../shared/operator-error.js'
import { accountRemovalStore, removeOwnedRows } from './removal-store.js'

/** The database lock of the removal of an account: two of one account would disturb each other. */
export const removalLock = 'svc user delete'

/** After so many attempts, requests of the account still add rows. */
const attemptsMax = 20

export interface AccountRemoval extends RemovalDependencies {
  /** Removes objects that no row refers to any more. */
  readonly removeObjects: (keys: readonly string[]) => Promise<void>
}

/**
 * Removes what an account has in all areas, and deletes it. Its access must have ended (`OwnStore.endAccess`). Repeated after an
 * interruption, it deletes the rest.
 * @param removed called after each part that has been removed; an error stops the removal
 */
export async function removeAccount(
  { removeObjects, ...dependencies }: AccountRemoval,
  { id, email }: { readonly id: number; readonly email: string },
  removed: () => void = () => undefined,
): Promise<void> {
  let table: string | undefined
  // A request that began before may have added rows meanwhile.
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    await removeOwnedRows(dependencies, id, async ({ objects }) => {
      await removeObjects(objects)
      removed()
    })
    table = await accountRemovalStore(dependencies.db).remove(id)
    if (table === undefined) return
  }
  throw new OperatorError(`${email} still has rows of ${String(table)}: repeat the command.`)
}
