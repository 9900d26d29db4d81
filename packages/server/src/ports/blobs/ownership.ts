import { installationId } from '../../db/installation-store.js'
import { LockTimeout } from '../../db/keyed-mutex.js'
import type { Database } from '../../db/port.js'
import { StorageError, writerOf, type Blobs } from './port.js'

/** How long a process waits while another one takes the store. */
const lockWaitMs = 10_000

/**
 * Takes a blob store that has no owner for this installation. Installations in one store would count and report the objects of each
 * other.
 * @throws StorageError if the store belongs to another installation, also if that one takes it at the same time
 */
export async function takeOwnership(database: Database, blobs: Blobs): Promise<void> {
  if (await isOwner(database, blobs)) return
  const take = async (): Promise<void> => {
    if (await isOwner(database, blobs)) return
    await blobs.createMark('owner', await installationId(database))
    if (!(await isOwner(database, blobs))) throw new StorageError('The blob store does not keep the name of its owner.')
  }
  try {
    await database.withLock('blobs.owner', take, lockWaitMs)
  } catch (error) {
    if (!(error instanceof LockTimeout)) throw error
    throw new StorageError('Another process is still preparing the blob store. Repeat the request.', { cause: error })
  }
}

/**
 * Whether the blob store belongs to this installation; false if it has no owner.
 * @throws OtherOwner if it belongs to another installation; StorageError
 */
export async function isOwner(database: Database, blobs: Blobs): Promise<boolean> {
  const owner = await blobs.readMark('owner')
  if (owner === undefined) return false
  const id = await installationId(database)
  if (owner === id) return true
  throw new OtherOwner(owner, id)
}

/** A store of another installation. */
export class OtherOwner extends StorageError {
  /** @param owner the installation that has the store */
  constructor(
    readonly owner: string,
    installation: string,
  ) {
    super(`The blob store belongs to the installation ${owner} of svc, and this is ${installation}.`)
  }
}

/** Whether a store has objects of svc. @throws StorageError */
export async function hasObjects(blobs: Pick<Blobs, 'list'>): Promise<boolean> {
  for await (const { key } of blobs.list()) if (writerOf(key) !== undefined) return true
  return false
}
