import { constants } from 'node:fs'
import { access, copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import BetterSqlite, { type Database as Handle } from 'better-sqlite3'
import { codeOf } from '../../shared/private-file.js'
import { noWrites, type InspectedDatabase } from '../inspected.js'
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
    migrations: async () => appliedTo(handle),
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

/** Opens a copy in a private temporary folder, with the log of the commits that are not yet in the file. */
async function openCopy(file: string): Promise<Opened> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-doctor-'))
  const remove = () => rm(folder, { recursive: true })
  try {
    const copy = join(folder, basename(file))
    await copyFile(file, copy)
    await copyFile(`${file}-wal`, `${copy}-wal`).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error
    })
    return { handle: openForReading(copy), opened: copy, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

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

function appliedTo(handle: Handle): string[] | undefined {
  const table = handle.prepare(`select 1 from sqlite_schema where name = 'kysely_migration'`).get()
  if (table === undefined) return undefined
  return handle.prepare('select name from kysely_migration order by name').pluck().all() as string[]
}
