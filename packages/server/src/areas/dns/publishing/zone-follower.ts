import type { Logger } from 'pino'
import type { Dns } from '../../../ports/dns/port.js'
import type { Job } from '../../../shared/job.js'
import { nextSerial } from '../zones/version-store.js'
import type { ZoneStore } from './zone-store.js'

/** The interval in which changes of other processes are served here. While the database fails, the job runner makes it longer. */
const everyMs = 250

/** Called for each change that this process has published: the follower need not load it. */
export type NotePublished = (zone: string, serial: number) => void

const failureMessage = 'zone changes of other processes could not be loaded'

export interface FollowerOptions {
  readonly zones: Pick<ZoneStore, 'changedSince' | 'contents'>
  readonly dns: Pick<Dns, 'setZone'>
  /** The newest version that the nameserver was loaded with. */
  readonly since: number
  readonly log: Pick<Logger, 'error'>
}

/** Follows the changes of other processes. */
export interface ZoneFollower {
  readonly job: Job
  /** Tells the follower about a change of this process. */
  readonly notePublished: NotePublished
}

/** Serves the zones that other processes on the same database change: other servers and the operator's commands. */
export function followZones({ zones, dns, since, log }: FollowerOptions): ZoneFollower {
  /** By zone, the serial up to which every change is served here. A zone without one is read at its next change. */
  const complete = new Map<string, number>()
  let version = since

  async function reload(name: string): Promise<void> {
    const zone = await zones.contents(name)
    try {
      await dns.setZone(zone)
      complete.set(name, zone.serial)
    } catch (error) {
      // A zone that cannot be served does not delay the zones that changed after it.
      log.error({ err: error }, failureMessage)
    }
  }

  return {
    job: {
      name: 'dns.zone-follower',
      everyMs,
      runsIn: 'every process',
      failureMessage,
      run: async (signal) => {
        for (const changed of await zones.changedSince(version)) {
          if (signal.aborted) return
          if (complete.get(changed.name) !== changed.serial) await reload(changed.name)
          version = changed.version
        }
      },
    },
    notePublished: (zone, serial) => {
      const before = complete.get(zone)
      // Any other serial means that another process has changed the zone in between, so it must be read.
      if (before !== undefined && nextSerial(before) === serial) complete.set(zone, serial)
    },
  }
}
