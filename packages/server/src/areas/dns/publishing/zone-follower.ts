import type { Dns } from '../../../ports/dns/port.js'
import { nextSerial } from '../zones/serial.js'
import type { ZoneStore } from '../zones/store.js'

/** The interval of the polls: a change of another process is served within this time. */
const everyMs = 250

/** Called for each change that this process has published: the follower need not load it. */
export type ChangePublished = (zone: string, serial: number) => void

export interface ZoneFollower {
  readonly published: ChangePublished
  readonly stop: () => Promise<void>
}

/** No-op: external providers are not polled. */
export const noFollower: ZoneFollower = { published: () => undefined, stop: async () => undefined }

/**
 * Loads the zones that other processes change: the operator's commands, other servers on one PostgreSQL.
 * @param since the newest version that the nameserver was loaded with
 * @param failed called for a zone that cannot be served, and once when polls begin to fail; polling goes on
 */
export function followZones(
  zones: Pick<ZoneStore, 'changedSince' | 'contents'>,
  dns: Pick<Dns, 'setZone'>,
  since: number,
  failed: (error: unknown) => void,
): ZoneFollower {
  /** By zone, the serial up to which every change is served here. A zone that is missing is read once. */
  const complete = new Map<string, number>()
  let version = since
  let polling: Promise<void> | undefined
  let failing = false

  async function poll(): Promise<void> {
    for (const changed of await zones.changedSince(version)) {
      if (complete.get(changed.name) !== changed.serial) await load(changed.name)
      version = changed.version
    }
  }

  async function load(name: string): Promise<void> {
    const zone = await zones.contents(name)
    // A zone that cannot be served does not delay the zones that changed after it.
    await dns.setZone(zone).then(() => complete.set(name, zone.serial), failed)
  }

  const timer = setInterval(() => {
    polling ??= poll()
      .then(
        () => {
          failing = false
        },
        (error: unknown) => {
          // Report once, not at every poll while the database is down.
          if (!failing) failed(error)
          failing = true
        },
      )
      .finally(() => {
        polling = undefined
      })
  }, everyMs).unref()

  return {
    // A serial beyond the next one means that another process has changed the zone in between: the next poll reads it.
    published: (zone, serial) => {
      const before = complete.get(zone)
      if (before !== undefined && nextSerial(before) === serial) complete.set(zone, serial)
    },
    stop: async () => {
      clearInterval(timer)
      await polling
    },
  }
}
