import type { Dns } from '../../ports/dns/port.js'
import type { Published } from './record-writer.js'
import type { ZoneStore } from './zone-store.js'

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
 * @param failed told when a look failed; the next one comes all the same
 */
export function followZones(zones: ZoneStore, dns: Dns, since: number, failed: (error: unknown) => void): ZoneFollower {
  const own = new Map<string, number>()
  let version = since
  let looking = Promise.resolve()

  async function look(): Promise<void> {
    for (const changed of await zones.changedSince(version)) {
      if (own.get(changed.name) !== changed.serial) await dns.setZone(await zones.contents(changed.name))
      else own.delete(changed.name)
      version = changed.version
    }
  }

  const timer = setInterval(() => {
    looking = looking.then(look).catch(failed)
  }, everyMs).unref()

  return {
    published: (zone, serial) => void own.set(zone, serial),
    stop: async () => {
      clearInterval(timer)
      await looking
    },
  }
}
