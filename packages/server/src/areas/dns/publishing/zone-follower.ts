import type { Dns } from '../../../ports/dns/port.js'
import type { Published } from '../records/writer.js'
import { nextSerial } from '../zones/serial.js'
import type { ZoneStore } from '../zones/store.js'

/** How soon a change that another process has made is served here. */
const everyMs = 250

export interface ZoneFollower {
  readonly published: Published
  readonly stop: () => Promise<void>
}

/** A provider's zones need nobody to follow them. */
export const noFollower: ZoneFollower = { published: () => undefined, stop: async () => undefined }

/**
 * Serves what other processes change: the operator's commands beside this server, other servers on one PostgreSQL.
 * @param since the newest version that the nameserver was loaded with
 * @param failed told when looks begin to fail; the next one comes all the same
 */
export function followZones(
  zones: Pick<ZoneStore, 'changedSince' | 'contents'>,
  dns: Pick<Dns, 'setZone'>,
  since: number,
  failed: (error: unknown) => void,
): ZoneFollower {
  /** By zone, the serial up to which every change is served here. A zone that is not in it is read once, to be sure. */
  const complete = new Map<string, number>()
  let version = since
  let looking: Promise<void> | undefined
  let failing = false

  async function look(): Promise<void> {
    for (const changed of await zones.changedSince(version)) {
      if (complete.get(changed.name) !== changed.serial) await takeOver(changed.name)
      version = changed.version
    }
  }

  async function takeOver(name: string): Promise<void> {
    const zone = await zones.contents(name)
    // What cannot be served does not hold up the zones that changed after it.
    await dns.setZone(zone).then(() => complete.set(name, zone.serial), failed)
  }

  const timer = setInterval(() => {
    looking ??= look()
      .then(
        () => {
          failing = false
        },
        (error: unknown) => {
          // Said once, not four times a second for as long as the database is away.
          if (!failing) failed(error)
          failing = true
        },
      )
      .finally(() => {
        looking = undefined
      })
  }, everyMs).unref()

  return {
    // A serial further on than the next one means that another process came between: the zone is still to be read.
    published: (zone, serial) => {
      const before = complete.get(zone)
      if (before !== undefined && nextSerial(before) === serial) complete.set(zone, serial)
    },
    stop: async () => {
      clearInterval(timer)
      await looking
    },
  }
}
