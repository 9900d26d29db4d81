import { chmodSync, closeSync, lchownSync, lstatSync, openSync, statSync } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Readable and writable by the owner only: a database contains password hashes. */
const privateMode = 0o600

/**
 * Creates the file if it does not exist, readable and writable for its owner only. SQLite gives its -wal and -shm files the
 * mode of the database.
 * @returns whether it was created
 * @throws the error of the operating system, with its `code`
 */
export function makePrivate(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx', privateMode))
    giveToFolderOwner(file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** Creates the database file if it does not exist, and removes the access rights of other users from an existing one. */
export function makeDatabasePrivate(file: string): void {
  if (!makePrivate(file)) for (const existing of [file, `${file}-wal`, `${file}-shm`]) tighten(existing)
}

/** Changes the mode by name: closing a file descriptor would release SQLite's fcntl locks of this process. */
function tighten(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found?.isFile() !== true || (found.mode & 0o077) === 0) return
  if (process.geteuid?.() === found.uid || process.geteuid?.() === 0) chmodSync(file, privateMode)
}

/** Gives files that root creates next to a database to its owner: operators often run commands as root. */
export function giveToOwnerOf(database: string, created: string): void {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = statSync(database)
  if (uid !== 0) lchownSync(created, uid, gid)
}

/**
 * Gives a file or folder that root has created to the owner of the folder that it is in: the service of that owner must be able to open
 * what an operator's command leaves there.
 */
export function giveToFolderOwner(created: string): void {
  try {
    giveToOwnerOf(dirname(created), created)
  } catch (error) {
    // Root of a container without the capability CAP_CHOWN: its service is root too.
    if (codeOf(error) !== 'EPERM') throw error
  }
}

/** The same for a folder that root has filled, with all that is in it. Files of other users keep their owner. */
export async function giveTreeToOwnerOf(like: string, root: string): Promise<void> {
  if (process.geteuid?.() !== 0 || (statSync(like, { throwIfNoEntry: false })?.uid ?? 0) === 0) return
  const giveIfRoots = (path: string): void => {
    if (lstatSync(path).uid === 0) giveToOwnerOf(like, path)
  }
  giveIfRoots(root)
  for await (const entry of await opendir(root, { recursive: true })) giveIfRoots(join(entry.parentPath, entry.name))
}

export const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)
