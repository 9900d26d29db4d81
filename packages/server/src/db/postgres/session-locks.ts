import pg from 'pg'
import { keyedMutex, LockTimeout, type WithLock } from '../keyed-mutex.js'
import type { Connection } from './client.js'
import { DatabaseTimeout, withDeadline, type CheckedOut, type Connections } from './connections.js'

/** A wait for a lock is split into several statements, each with a deadline. */
const pieceMs = 5_000

/** How long to wait for the server's answer after its own lock timeout. */
const answerMs = 1_000

/** Maximum time for the server to release a lock. After that the connection is cut, which releases the lock too. */
const unlockMs = 2_000

/** PostgreSQL's lock_not_available, after lock_timeout. */
const lockNotAvailable = '55P03'

/**
 * Locks between all processes on one database: session-level advisory locks (PostgreSQL's documentation, 13.3.5). The
 * server releases a lock when its connection ends.
 * @param connections a pool for locks only: a holder needs another connection for its work
 * @param space equal keys of different spaces are different locks
 * @param onLost called when the connection of a lock is lost before its work ends
 */
export function sessionLocks(connections: Connections, space: number, onLost: (error: Error) => void): WithLock {
  const withLock = keyedMutex()
  return (key, work, waitMs = Infinity) => {
    const lock: Lock = { key, space, waitMs, until: performance.now() + waitMs }
    const locked = async () => {
      const holder = await acquire(connections, lock)
      if (holder === undefined) throw new LockTimeout(key, waitMs)
      try {
        return await work()
      } finally {
        const { client, release } = holder
        if (client.isCut) onLost(new Error(`The connection that held the lock ${key} was lost before its work ended.`))
        else await unlock(client, lock)
        release()
      }
    }
    // Lock within the process first: of many calls that wait for one key, only one uses a connection.
    return withLock(key, locked, waitMs)
  }
}

/** A lock, and how long to wait for it. */
interface Lock {
  readonly key: string
  readonly space: number
  readonly waitMs: number
  /** On the clock of `performance.now()`, in milliseconds. */
  readonly until: number
}

/**
 * @returns the connection that holds the lock; undefined if the lock was not free in time
 * @throws LockTimeout with a cause if no connection was free in time
 */
async function acquire(connections: Connections, wanted: Lock): Promise<CheckedOut | undefined> {
  const { until } = wanted
  const holder = await checkOut(connections, wanted)
  const { client, release } = holder
  try {
    do {
      const waitMs = Math.max(Math.ceil(Math.min(until - performance.now(), pieceMs)), 1)
      if (await withDeadline(client, performance.now() + waitMs + answerMs, (it) => lock(it, wanted, waitMs)))
        return holder
    } while (performance.now() < until)
  } catch (error) {
    // The server may have granted the lock: closing the connection releases it.
    client.cut(error as Error)
    release()
    throw error
  }
  release()
  return undefined
}

/** Treats "all connections are in use" like a lock that is not free. */
async function checkOut(connections: Connections, { key, until, waitMs }: Lock): Promise<CheckedOut> {
  try {
    return await connections.checkOut(until)
  } catch (error) {
    throw error instanceof DatabaseTimeout ? new LockTimeout(key, waitMs, { cause: error }) : error
  }
}

async function lock(client: Connection, { key, space }: Lock, waitMs: number): Promise<boolean> {
  try {
    await client.query(`set lock_timeout = ${waitMs}`)
    await client.query('select pg_advisory_lock(hashtextextended($1, $2))', [key, space])
    return true
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === lockNotAvailable) return false
    throw error
  }
}

async function unlock(client: Connection, { key, space }: Lock): Promise<void> {
  const release = (it: Connection) => it.query('select pg_advisory_unlock(hashtextextended($1, $2))', [key, space])
  try {
    await withDeadline(client, performance.now() + unlockMs, release)
  } catch (error) {
    client.cut(error as Error)
  }
}
