import { installationId } from '../../db/installation-store.js'
import type { Database } from '../../db/port.js'
import { StorageError, type Blobs } from './port.js'

/** The object that names the owner of a blob store. Its name has no writer, so the sweep leaves it alone. */
export const ownerKey = `${'0'.repeat(32)}-0`

/** Bytes of an installation's id. */
const idBytes = 16

/** How long a process waits while another one takes the store. */
const lockWaitMs = 10_000

/**
 * Takes a blob store that has no owner for this installation. The sweep removes all objects that the database does not know, so an
 * installation that was configured with the store of another one would remove all of its files.
 * @throws StorageError if the store belongs to another installation
 */
export async function takeOwnership(database: Database, blobs: Blobs): Promise<void> {
  if (await isOwner(database, blobs)) return
  const take = async (): Promise<void> => {
    if (await isOwner(database, blobs)) return
    // An earlier attempt may have been interrupted.
    await blobs.remove(ownerKey)
    await blobs.put(ownerKey, bytesOf(await installationId(database)))
  }
  await database.withLock('blobs.owner', take, lockWaitMs)
}

/**
 * Whether the blob store belongs to this installation; false if it has no owner.
 * @throws StorageError if it belongs to another installation
 */
export async function isOwner(database: Database, blobs: Blobs): Promise<boolean> {
  if ((await blobs.sizeOf(ownerKey)) === undefined) return false
  const owner = await textOf(await blobs.open(ownerKey, { first: 0, last: idBytes - 1 }))
  const id = await installationId(database)
  if (owner === id) return true
  throw new StorageError(`The blob store belongs to the installation ${owner} of svc, and this is ${id}.`)
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text))
}

async function textOf(bytes: AsyncIterable<Buffer>): Promise<string> {
  let text = ''
  for await (const chunk of bytes) text += chunk.toString('latin1')
  return text
}
