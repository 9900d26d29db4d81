import { removalLock, removeAccount } from '../app/account-removal/remove-account.js'
import { countAccountRows } from '../app/account-rows-store.js'
import { ownStore } from '../areas/account/accounts/own-store.js'
import { unusablePasswordHash } from '../areas/account/accounts/passwords.js'
import { accountStore } from '../areas/account/accounts/store.js'
import { purgeJob } from '../areas/files/sharing/edge-copies.js'
import { purgeStore } from '../areas/files/sharing/purge-store.js'
import type { Config } from '../config/config.js'
import type { RemovalDependencies } from '../db/account-removal.js'
import { LockTimeout } from '../db/keyed-mutex.js'
import type { Database } from '../db/port.js'
import { OperatorError } from '../shared/operator-error.js'
import { isOwner } from '../ports/blobs/ownership.js'
import { StorageError, type Blobs } from '../ports/blobs/port.js'
import { selectExistingBlobs } from '../ports/blobs/select.js'
import { EdgeError } from '../ports/edge/port.js'
import { selectEdge } from '../ports/edge/select.js'
import { counted } from '../shared/counted.js'
import type { Account } from '../shared/account.js'
import { withAccount } from './accounts.js'
import { withPublisher } from './with-publisher.js'

type DeletionConfig = Pick<Config, 'database' | 'dns' | 'blobs' | 'edge'>

export interface Deletion {
  /** Called before anything is deleted, with the number of rows in each table. Rejects to stop the deletion. */
  readonly confirm: (account: Account, rows: ReadonlyMap<string, number>) => Promise<void>
}

export interface DeletedAccount {
  readonly account: Account
  /** What a running server completes: one sentence each. */
  readonly notes: readonly string[]
}

/** How long a deletion waits for another one. */
const lockWaitMs = 5_000

/** How many objects are removed at the same time. */
const objectsAtOnce = 8

/**
 * `svc user delete`: deletes an account with everything that it has, beside a running server. The first transaction ends its access,
 * the last one deletes the account. After an interruption, a running server or a repeated command deletes the rest.
 * @throws ApiError `upstream_error` when the DNS provider fails; repeated, it goes on
 */
export const deleteUser = (config: DeletionConfig, email: string, { confirm }: Deletion): Promise<DeletedAccount> =>
  withAccount(config.database, email, async (account, db) => {
    await confirm(account, await countAccountRows(db, account.id))
    const leftObjects = await oneAtATime(db, account, () => deleteWithObjects(config, db, account))
    const notes =
      leftObjects === 0
        ? []
        : [
            `${counted(leftObjects, 'object')} could not be removed from the blob store: the sweep of a server does it within a day.`,
          ]
    return { account, notes: [...notes, ...(await purge(config, db))] }
  })

/** Two deletions of one account would disturb each other. @throws OperatorError if another process deletes an account, or has deleted this one */
async function oneAtATime<R>(db: Database, { id, email }: Account, work: () => Promise<R>): Promise<R> {
  const workIfThere = async () => {
    if ((await accountStore(db).byEmail(email))?.id === id) return work()
    throw new OperatorError(`Another svc user delete has deleted ${email}.`)
  }
  try {
    return await db.withJobLock(removalLock, workIfThere, lockWaitMs)
  } catch (error) {
    if (!(error instanceof LockTimeout)) throw error
    throw new OperatorError('Another svc user delete is running: repeat the command when it has ended.', 1, {
      cause: error,
    })
  }
}

async function deleteWithObjects(config: DeletionConfig, db: Database, account: Account): Promise<number> {
  const blobs = await openBlobs(db, config.blobs)
  try {
    return await withPublisher(config, db, (publisher) => deleteAccount({ db, publisher, blobs }, account))
  } finally {
    await blobs?.close()
  }
}

interface DeletionDependencies extends RemovalDependencies {
  /** Undefined if it has no objects of this installation, or cannot be opened. */
  readonly blobs: Blobs | undefined
}

/**
 * Ends the access of an account, removes what it has in all areas, and deletes it.
 * @param removed called after each part that has been removed
 * @returns how many objects could not be removed
 */
export async function deleteAccount(
  { blobs, ...dependencies }: DeletionDependencies,
  account: Account,
  removed: () => void = () => undefined,
): Promise<number> {
  await ownStore(dependencies.db).endAccess(account.id, null, await unusablePasswordHash())
  let leftObjects = 0
  const removeAndCount = async (keys: readonly string[]) => {
    leftObjects += await removeObjects(blobs, keys)
  }
  await removeAccount({ ...dependencies, removeObjects: removeAndCount }, account, removed)
  return leftObjects
}

/** Undefined if the store has no objects of this installation, or cannot be opened. */
async function openBlobs(db: Database, config: Config['blobs']): Promise<Blobs | undefined> {
  try {
    const blobs = await selectExistingBlobs(config)
    if (await isOwner(db, blobs)) return blobs
    await blobs.close()
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
  }
  return undefined
}

/** @returns how many could not be removed */
async function removeObjects(blobs: Blobs | undefined, keys: readonly string[]): Promise<number> {
  if (blobs === undefined) return keys.length
  let failed = 0
  for (let at = 0; at < keys.length; at += objectsAtOnce)
    await Promise.all(
      keys.slice(at, at + objectsAtOnce).map((key) =>
        blobs.remove(key).catch((error: unknown) => {
          if (!(error instanceof StorageError)) throw error
          failed++
        }),
      ),
    )
  return failed
}

/** Purges the shared files in a cache in front of svc. A cache in the server compares versions with the database. */
async function purge({ edge: config }: DeletionConfig, db: Database): Promise<string[]> {
  if (config.kind === 'embedded') return []
  const edge = await selectEdge(config)
  try {
    await purgeJob(edge, purgeStore(db)).run(new AbortController().signal)
    return []
  } catch (error) {
    if (!(error instanceof EdgeError)) throw error
    return [
      `The cache may still serve shared files of the account: ${error.message} A server repeats the purge until the cache confirms it.`,
    ]
  } finally {
    await edge.close()
  }
}
