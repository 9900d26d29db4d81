import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Dns } from '../../../ports/dns/port.js'
import { isNewerSerial } from '../../../ports/dns/serial.js'
import type { Job } from '../../../shared/job.js'
import type { LoadedZone } from './process-store.js'
import { nextSerial, type ZonePosition } from '../zones/version-store.js'
import type { ZoneStore } from './zone-store.js'

/** The interval in which changes of other processes are served here. While the database fails, the job runner makes it longer. */
const followerEveryMs = 250

/** Time between the commit of a change of this process and its note. Most take a few milliseconds. */
const notedWithinMs = 25

/** Called for each change that this process has published: the follower need not load it. */
export type NotePublished = (zone: string, serial: number) => void

const failureMessage = 'zone changes of other processes could not be loaded'

export interface FollowerOptions {
  readonly zones: Pick<ZoneStore, 'changedSince' | 'contents'>
  readonly dns: Pick<Dns, 'setZone' | 'loadZone' | 'removeZone'>
  /** The position up to which the nameserver has loaded changes. */
  readonly since: ZonePosition
  /** Tells the orders of other processes that this one serves the values of zones. */
  readonly noteLoaded: (zones: readonly LoadedZone[]) => Promise<void>
  readonly log: Pick<Logger, 'error'>
}

/** Follows the changes of other processes. */
export interface ZoneFollower {
  readonly job: Job
  /** Tells the follower about a change of this process. */
  readonly notePublished: NotePublished
}

/** Loading a zone costs much more than its change, so changes of this process that are just being published are not loaded. */
async function waitForNotes(signal: AbortSignal): Promise<void> {
  // It rejects only when the server stops, which its caller checks.
  await sleep(notedWithinMs, undefined, { signal }).catch(() => undefined)
}

/** Serves the zones that other processes on the same database change: other servers and the operator's commands. */
export function followZones({ zones, dns, since, noteLoaded, log }: FollowerOptions): ZoneFollower {
  /** By zone, the serial up to which every change is served here. A zone without one is read at its next change. */
  const complete = new Map<string, number>()
  /** Zones with values of challenges that have been loaded since the last note. */
  const toNote = new Map<string, number>()
  let position = since

  const isBehind = (name: string, serial: number): boolean => {
    const served = complete.get(name)
    return served === undefined || isNewerSerial(serial, served)
  }

  async function reload(name: string): Promise<void> {
    const zone = await zones.contents(name)
    try {
      await (zone.isDeleted === true ? dns.removeZone(name, zone.serial) : (dns.loadZone?.(zone) ?? dns.setZone(zone)))
      // Changes that were noted in the meantime may be newer.
      if (isBehind(name, zone.serial)) complete.set(name, zone.serial)
      if (zone.isProving === true) toNote.set(name, zone.serial)
    } catch (error) {
      // A zone that cannot be served does not delay the zones that changed after it.
      log.error({ err: error }, failureMessage)
    }
  }

  return {
    job: {
      name: 'dns.zone-follower',
      everyMs: followerEveryMs,
      runsIn: 'every process',
      failureMessage,
      run: async (signal) => {
        const changes = await zones.changedSince(position)
        const behind = changes.zones.filter(({ name, serial }) => isBehind(name, serial))
        if (behind.some(({ name }) => complete.has(name))) await waitForNotes(signal)
        for (const { name, serial } of behind) {
          if (signal.aborted) return
          if (isBehind(name, serial)) await reload(name)
        }
        if (toNote.size > 0) {
          await noteLoaded(Array.from(toNote, ([zone, serial]) => ({ zone, serial })))
          toNote.clear()
        }
        // After all of them: a failure or a stop in between repeats the run, which skips the zones that are complete.
        position = changes.position
      },
    },
    notePublished: (zone, serial) => {
      const before = complete.get(zone)
      // Any other serial means that another process has changed the zone in between, so it must be read.
      if (before !== undefined && nextSerial(before) === serial) complete.set(zone, serial)
    },
  }
}
