import { LockTimeout } from '../../db/keyed-mutex.js'
import type { Database } from '../../db/port.js'
import type { Job } from '../../shared/job.js'
import { removalLock, removeAccount, type AccountRemoval } from './remove-account.js'
import { accountRemovalStore } from './removal-store.js'

/** How long an account waits for its removal, at most. */
const everyMs = 5_000

/** How long a process waits for the one that removes accounts. */
const lockWaitMs = 1_000

/** Thrown between two parts when the server stops: the next run removes the rest. */
const stopping = new Error('The server is stopping.')

/**
 * Removes accounts whose owners have deleted them, and the rest of those that an interrupted `svc user delete` has left. Every process
 * runs it and takes the lock itself: only a process with an account to remove holds it, because the removal of a zone at an
 * external provider takes a second lock.
 */
export function accountRemovalJob(dependencies: AccountRemoval & { readonly db: Database }): Job {
  const { db } = dependencies
  const store = accountRemovalStore(db)

  /** An account that cannot be removed does not delay the others. @throws the first of their errors */
  async function removeAll(signal: AbortSignal): Promise<void> {
    const errors: unknown[] = []
    const stopIfAborted = () => {
      if (signal.aborted) throw stopping
    }
    for (let account = await store.next(0); account !== undefined; account = await store.next(account.id)) {
      stopIfAborted()
      await removeAccount(dependencies, account, stopIfAborted).catch((error: unknown) => {
        if (error === stopping) throw error
        errors.push(error)
      })
    }
    if (errors.length > 0) throw errors[0]
  }

  return {
    name: 'account.removal',
    everyMs,
    runsIn: 'every process',
    failureMessage: 'a deleted account could not be removed',
    run: async (signal) => {
      if ((await store.next(0)) === undefined) return
      try {
        await db.withJobLock(removalLock, () => removeAll(signal), lockWaitMs)
      } catch (error) {
        // Without a cause, another process removes accounts.
        const isElsewhere = error instanceof LockTimeout && error.cause === undefined
        if (error !== stopping && !isElsewhere) throw error
      }
    },
  }
}
