import { constants, createReadStream, createWriteStream } from 'node:fs'
import { access, mkdtemp, rm, stat, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import BetterSqlite, { type Database as Handle } from 'better-sqlite3'
import { codeOf } from '../../shared/private-file.js'
import { noWrites, type InspectedDatabase } from '../inspected.js'
import { sqliteMigrations } from './catalogue.js'
import { openSqliteSnapshot } from './snapshot.js'
import { SqliteConnection } from './connection.js'
import { checkIntegrity } from './integrity.js'

const busyTimeoutMs = 2_000

/**
 * Opens a database file for reading, also one that this process must not write.
 * @throws the error of Node.js or SQLite, with its `code`
 */
export async function inspectSqlite(file: string): Promise<InspectedDatabase> {
  // SQLite does not say whether it may not read the file, or not create the files beside it.
  await access(file, constants.R_OK)
  const { handle, opened, remove } = await openAnyhow(file)
  const reads = new SqliteConnection(handle)
  return {
    ...noWrites,
    dialect: 'sqlite',
    one: (query, params) => reads.one(query, params),
    all: (query, params) => reads.all(query, params),
    commitNumber: () => undefined,
    migrations: async () => sqliteMigrations(handle),
    snapshot: async () => openSqliteSnapshot(opened, {}),
    server: async () => undefined,
    checkIntegrity: (deadlineMs, signal) => checkIntegrity(opened, deadlineMs, signal),
    ping: async () => void handle.prepare('select 1').get(),
    async close() {
      handle.close()
      await remove()
    },
  }
}

interface Opened {
  readonly handle: Handle
  /** The file itself, or a copy. */
  readonly opened: string
  /** Removes what was made to open it. */
  readonly remove: () => Promise<void>
}

/** Codes of a file in WAL mode whose index SQLite cannot create: the folder must not be written, and no server runs. */
const withoutIndex = ['SQLITE_READONLY_DIRECTORY', 'SQLITE_READONLY_CANTINIT', 'SQLITE_CANTOPEN', 'SQLITE_READONLY']

async function openAnyhow(file: string): Promise<Opened> {
  try {
    return { handle: openForReading(file), opened: file, remove: async () => undefined }
  } catch (error) {
    if (!withoutIndex.includes(String(codeOf(error)))) throw error
    return openCopy(file)
  }
}

/** A copy that takes longer is removed again. */
const copyMs = 5_000

/**
 * Opens a copy in a private temporary folder, with the log of the commits that are not yet in the file.
 * @throws Error if the folder has no room for it, or the copy takes too long
 */
async function openCopy(file: string): Promise<Opened> {
  await requireSpace(file)
  const folder = await mkdtemp(join(tmpdir(), 'svc-doctor-'))
  const remove = () => rm(folder, { recursive: true })
  try {
    const copy = join(folder, basename(file))
    const signal = AbortSignal.timeout(copyMs)
    for (const suffix of ['', '-wal'])
      await pipeline(createReadStream(`${file}${suffix}`), createWriteStream(`${copy}${suffix}`), { signal }).catch(
        (error: unknown) => {
          if (signal.aborted) throw uncopied(file, `takes more than ${String(copyMs / 1000)} seconds`)
          if (suffix === '' || codeOf(error) !== 'ENOENT') throw error
        },
      )
    return { handle: openForReading(copy), opened: copy, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Half of the free space stays free for others: a temporary folder may be in memory. */
async function requireSpace(file: string): Promise<void> {
  const sizes = await Promise.all(
    [file, `${file}-wal`].map((path) =>
      stat(path).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  const { bavail, bsize } = await statfs(tmpdir())
  if (sizes.reduce((sum, size) => sum + size, 0) > (bavail * bsize) / 2)
    throw uncopied(file, `needs more than half of the free space in ${tmpdir()}`)
}

const uncopied = (file: string, problem: string): Error =>
  new Error(
    `${file} cannot be read in its folder, which this process must not write, and a copy ${problem}: run svc doctor as the user of the server.`,
  )

function openForReading(file: string): Handle {
  const handle = new BetterSqlite(file, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs })
  try {
    // SQLite reads the file, and the files beside it, at the first query only.
    handle.prepare('select count(*) from sqlite_schema').get()
    return handle
  } catch (error) {
    handle.close()
    throw error
  }
}
