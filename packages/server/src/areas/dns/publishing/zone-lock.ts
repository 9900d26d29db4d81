import { LockTimeout, type WithLock } from '../../../db/keyed-mutex.js'
import { Deadline } from '../../../ports/dns/deadline.js'
import { ProviderFailed } from '../../../ports/dns/port.js'

/** The deadlines of a change that holds the lock of its zone. */
export interface WriteTime {
  /** No new request is sent to the provider after this. Undefined for an operator's command, which has no deadline. */
  readonly work: Deadline | undefined
  /** Later than `work`: the deadline for restoring the zone after a failed change. */
  readonly restore: Deadline | undefined
}

/** Runs a change under the lock of its zone, which all processes share. @throws ApiError `upstream_error` if it cannot begin in time */
export type WithZoneLock = <R>(zone: string, change: (time: WriteTime) => Promise<R>) => Promise<R>

export interface ZoneLockLimits {
  /** Milliseconds for the whole call: waiting for the lock, the provider's requests, and restoring. */
  readonly totalMs: number
  /** Milliseconds of these that are kept for restoring. */
  readonly restoreMs: number
  /** How many changes may be queued in this process, for one zone and in total. */
  readonly queuedPerZone: number
  readonly queuedMax: number
}

const requestLimits: ZoneLockLimits = { totalMs: 10_000, restoreMs: 3_000, queuedPerZone: 200, queuedMax: 2_000 }

/** The lock on a provider's zones for requests: one deadline for waiting and work together. */
export function requestZoneLock(withLock: WithLock, limits: ZoneLockLimits = requestLimits): WithZoneLock {
  const queued = new Map<string, number>()
  let total = 0
  return async (zone, change) => {
    const mine = queued.get(zone) ?? 0
    if (mine >= limits.queuedPerZone || total >= limits.queuedMax)
      throw new ProviderFailed('too many changes are queued for it', zone)
    queued.set(zone, mine + 1)
    total++
    const restore = Deadline.in(limits.totalMs)
    const work = restore.lessBy(limits.restoreMs)
    try {
      return await withLock(
        zone,
        () => {
          if (work.isOver) throw lateError(zone)
          return change({ work, restore })
        },
        work.remainingMs,
      )
    } catch (error) {
      throw error instanceof LockTimeout ? lateError(zone) : error
    } finally {
      const left = (queued.get(zone) ?? 1) - 1
      if (left === 0) queued.delete(zone)
      else queued.set(zone, left)
      total--
    }
  }
}

/** Milliseconds that an operator's command waits for a server's changes to a zone. */
const commandWaitMs = 30_000

/** The same lock for an operator's command: each request of its change has a separate deadline. */
export const commandZoneLock =
  (withLock: WithLock): WithZoneLock =>
  async (zone, change) => {
    try {
      return await withLock(zone, () => change({ work: undefined, restore: undefined }), commandWaitMs)
    } catch (error) {
      throw error instanceof LockTimeout ? lateError(zone) : error
    }
  }

const lateError = (zone: string) => new ProviderFailed('earlier changes of this zone took too long', zone)
