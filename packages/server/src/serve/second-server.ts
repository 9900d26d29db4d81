import { readFile, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config/config.js'
import { LockTimeout } from '../db/keyed-mutex.js'
import type { Database } from '../db/port.js'
import { giveToOwnerOf } from '../shared/private-file.js'

/** The lock that a server on a SQLite database holds while it runs. */
const lockName = 'server'

/** Longer than a server needs to stop: the one before a restart may still be running. */
const restartMs = 15_000

/**
 * Warns if another server uses the same SQLite database for longer than a restart takes. Two servers lose nothing, because all locks
 * hold between processes, but mostly the second one is a mistake.
 * @returns a function that releases the lock for the next server
 */
export function warnOfSecondServer(
  config: Config['database'],
  db: Pick<Database, 'withJobLock'>,
  log: Pick<Logger, 'warn'>,
  waitMs = restartMs,
): () => void {
  let release: () => void = () => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  if (config.kind === 'sqlite') void holdLock(config.file, { db, log, released, waitMs })
  return release
}

interface Holding {
  readonly db: Pick<Database, 'withJobLock'>
  readonly log: Pick<Logger, 'warn'>
  readonly released: Promise<void>
  readonly waitMs: number
}

/** Holds the lock until it is released. Does not reject: a server works without the lock. */
async function holdLock(file: string, { db, log, released, waitMs }: Holding): Promise<void> {
  const { lockDirectoryOf } = await import('../db/sqlite/file-locks.js')
  // The kernel does not tell who holds a lock.
  const nameFile = join(lockDirectoryOf(file), 'server-process')
  try {
    await db.withJobLock(
      lockName,
      async () => {
        await writeFile(nameFile, `${process.pid} on ${hostname()}`, { mode: 0o600 })
        giveToOwnerOf(file, nameFile)
        await released
      },
      waitMs,
    )
  } catch (error) {
    if (!(error instanceof LockTimeout)) log.warn({ err: error }, 'the lock of the server cannot be taken')
    else {
      const other = await readFile(nameFile, 'utf8').catch(() => 'with an unknown id')
      log.warn(`another svc serve, process ${other}, uses the same database ${file}: stop one of them`)
    }
  }
}
