import { chmodSync, closeSync, lchownSync, openSync, statSync } from 'node:fs'

/** What a database holds concerns its owner only: password hashes, for one. */
const privateMode = 0o600

/**
 * Makes the file if it does not exist, readable and writable for its owner only. SQLite gives its -wal and -shm files the
 * mode of the database.
 * @returns whether it was made
 * @throws what the operating system says, with its `code`
 */
export function makePrivate(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx', privateMode))
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** The same, and takes the rights of other users from a database that exists. */
export function makeDatabasePrivate(file: string): void {
  if (!makePrivate(file)) for (const existing of [file, `${file}-wal`, `${file}-shm`]) tighten(existing)
}

/** By name: to open and close the file would release the locks that SQLite has on it in this process (fcntl). */
function tighten(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found?.isFile() !== true || (found.mode & 0o077) === 0) return
  if (process.geteuid?.() === found.uid || process.geteuid?.() === 0) chmodSync(file, privateMode)
}

/** Files that root makes beside another user's database are for that user: the operator's commands often run as root. */
export function giveToOwnerOf(database: string, made: string): void {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = statSync(database)
  if (uid !== 0) lchownSync(made, uid, gid)
}

export const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)
