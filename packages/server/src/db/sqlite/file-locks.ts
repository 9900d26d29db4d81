import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import BetterSqlite, { type Database as Handle } from 'better-sqlite3'
import { keyedMutex, LockTimeout, type WithLock } from '../keyed-mutex.js'
import { codeOf, giveToOwnerOf, makePrivate } from '../../shared/private-file.js'

/** Maximum number of locks of zones, with two files each. The hash of a key selects its lock. */
const files = 256

/** Backoff between attempts: doubles from the first pause to the last. An attempt takes about 15 µs. */
const firstPauseMs = 1
const lastPauseMs = 16

/**
 * Locks between all processes on one SQLite database. Node.js has no flock(), so each lock is the write lock of an empty
 * SQLite database in the directory `<file>-locks`. The kernel releases it when the process ends, even after a crash.
 * @param nameOf the name of a key's lock file. The number of names must be bounded.
 */
export function fileLocks(file: string, nameOf: (key: string) => string): WithLock {
  const withLock = keyedMutex()
  return (key, work, waitMs = Infinity) => {
    const until = performance.now() + waitMs
    const locked = async () => {
      const lock = await acquire(lockFile(file, nameOf(key)), until)
      if (lock === undefined) throw new LockTimeout(key, waitMs)
      try {
        return await work()
      } finally {
        lock.close()
      }
    }
    // Lock within the process first: of many calls that wait for one key, only one polls.
    return withLock(key, locked, waitMs)
  }
}

/** The names of files that many keys share, such as those of zones. */
export const sharedLockName = (key: string): string =>
  String(createHash('sha256').update(key).digest().readUInt16BE() % files)

/** Each job has a lock file: a job that takes minutes must not hold up the writes of a zone. */
export const jobLockName = (job: string): string => `job-${job}`

/** The directory of a database's lock files. */
export const lockDirectoryOf = (file: string): string => `${file}-locks`

/** Prepares a lock file. It and its directory are created at first use, because most databases never use a lock. */
function lockFile(file: string, name: string): string {
  const directory = lockDirectoryOf(file)
  if (mkdirSync(directory, { recursive: true, mode: 0o700 }) !== undefined) giveToOwnerOf(file, directory)
  const path = join(directory, name)
  for (const lock of [path, nextOf(path)]) if (makePrivate(lock)) giveToOwnerOf(file, lock)
  return path
}

const nextOf = (path: string) => `${path}-next`

/**
 * Acquires a lock. A second lock makes this fair: its holder is the next to get the first one. Otherwise a busy process that
 * locks again right after its release would starve a process that polls.
 * @returns the locked handle; undefined if the lock was not free in time
 */
async function acquire(path: string, until: number): Promise<Handle | undefined> {
  const next = await poll(nextOf(path), until)
  try {
    return next && (await poll(path, until))
  } finally {
    next?.close()
  }
}

async function poll(path: string, until: number): Promise<Handle | undefined> {
  const handle = new BetterSqlite(path, { timeout: 0 })
  try {
    // The file stays empty, so the lock works on a full disk too.
    handle.pragma('journal_mode = memory')
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, lastPauseMs)) {
      if (tryLock(handle)) return handle
      const leftMs = until - performance.now()
      if (leftMs <= 0) break
      await sleep(Math.min(pauseMs, leftMs))
    }
  } catch (error) {
    handle.close()
    throw error
  }
  handle.close()
  return undefined
}

/** Takes the lock if it is free. @returns whether this handle holds it now */
function tryLock(handle: Handle): boolean {
  try {
    handle.exec('begin immediate')
    return true
  } catch (error) {
    if (codeOf(error) === 'SQLITE_BUSY') return false
    throw error
  }
}
