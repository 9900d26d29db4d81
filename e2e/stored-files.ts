import { readdir, readlink, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pino } from 'pino'
import { expect } from 'vitest'
import type { Place, Serving } from '../packages/cli/test/svc.js'
import { runSql } from '../packages/server/test/site.js'
import { connect } from '../packages/server/src/db/connect.js'
import { openDiskBlobs } from '../packages/server/src/ports/blobs/disk/disk-blobs.js'
import type { Blobs } from '../packages/server/src/ports/blobs/port.js'
import { BlobIntake } from '../packages/server/src/ports/blobs/intake.js'

/** The rows and the stored objects of an installation with SQLite and its default directories. */

const databaseOf = ({ cwd }: Place) => ({ kind: 'sqlite', file: join(cwd, 'data', 'svc.db') }) as const
export const objectsFolderOf = ({ cwd }: Place): string => join(cwd, 'data', 'files')

/** Reads and changes the database. */
export const sqlOf = (place: Place, statement: string): Promise<Record<string, unknown>[]> =>
  runSql(databaseOf(place), statement)

/** The size of each stored object by its key, also of unfinished ones. Without the marks of the store. */
export async function storedObjects(place: Place): Promise<Map<string, number>> {
  const entries = await readdir(objectsFolderOf(place), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && basename(entry.parentPath) !== 'marks')
  const sizes = files.map(async ({ name, parentPath }) => {
    // An unfinished object is renamed or removed at any time.
    const found = await stat(join(parentPath, name)).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      return undefined
    })
    return [name, found?.size] as const
  })
  const found = await Promise.all(sizes)
  return new Map(found.filter((entry): entry is [string, number] => entry[1] !== undefined))
}

/** How many stored objects a server has open, also unfinished ones (proc(5)). */
export async function openObjects(place: Place, { child }: Serving): Promise<number> {
  const folder = `/proc/${String(child.pid)}/fd`
  const targets = await Promise.all(
    (await readdir(folder)).map((fd) => readlink(`${folder}/${fd}`).catch(() => 'closed since')),
  )
  return targets.filter((target) => target.startsWith(objectsFolderOf(place))).length
}

/** The size of each object by its key, as the rows say. */
export async function knownObjects(place: Place): Promise<Map<string, number>> {
  const rows = await sqlOf(place, 'select key, size from blob')
  return new Map(rows.map(({ key, size }) => [String(key), Number(size)]))
}

/** Checks that the object of every row is stored as a whole, and that the use of each account is the sum of its rows. */
export async function expectRowsStored(place: Place): Promise<void> {
  const stored = await storedObjects(place)
  for (const [key, size] of await knownObjects(place)) expect([key, stored.get(key)]).toEqual([key, size])
  const parts = `
    select u.account_id, p.size from upload_part p join upload u on u.id = p.upload_id
    union all select account_id, size from file`
  const objects = `
    select u.account_id from upload_part p join upload u on u.id = p.upload_id
    union all select f.account_id from file f left join file_part p on p.file_id = f.id`
  const use = await sqlOf(
    place,
    `select bytes, uploads, objects,
      (select coalesce(sum(size), 0) from (${parts}) p where p.account_id = s.account_id) as counted_bytes,
      (select count(*) from upload u where u.account_id = s.account_id and u.file_id is null) as counted_uploads,
      (select count(*) from (${objects}) o where o.account_id = s.account_id) as counted_objects
    from storage_use s`,
  )
  for (const { bytes, uploads, objects: counted, counted_bytes, counted_uploads, counted_objects } of use)
    expect([bytes, uploads, counted]).toEqual([counted_bytes, counted_uploads, counted_objects])
}

/** Lets the leases of all processes expire, and sweeps. No server may be running. @param store by default the directory */
export async function sweepAfterLeases(place: Place, store?: Blobs): Promise<void> {
  await sqlOf(place, 'update blob_writer set expires_at = 1')
  const database = await connect(databaseOf(place), (error) => {
    throw error
  })
  const blobs = store ?? (await openDiskBlobs(objectsFolderOf(place)))
  try {
    const intake = new BlobIntake(database, blobs, pino({ level: 'silent' }))
    await intake.sweep(new AbortController().signal)
  } finally {
    if (store === undefined) await blobs.close()
    await database.close()
  }
}
