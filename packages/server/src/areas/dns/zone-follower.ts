import type { Dns } from '../../ports/dns/port.js'
import type { ZoneStore } from './zone-store.js'

/** How soon a change that another process has made is served here. */
const everyMs = 250

/** A zone's own changes are remembered this long at least: they are seen again when the next look comes. */
export interface ZoneFollower {
  /** This process has published a change itself. */
  readonly published: (zone: string, serial: number) => void
  readonly stop: () => Promise<void>
}

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
