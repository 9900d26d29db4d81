import { setImmediate as nextTurn } from 'node:timers/promises'
import { groupBy } from '@svc/contract/group-by'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../../db/port.js'
import type { Account } from '../../../shared/account.js'
import { recordsAtHosts } from '../records/changes-store.js'
import type { StoredRecord } from '../records/record.js'
import { relativeHost } from '../values/host.js'
import { verifiedZones } from '../zones/verified-store.js'
import { addressTypes, type AddressType } from './parameters.js'

/** The records of one type at a host. */
interface AddressSet {
  readonly count: number
  /** Of the first record; undefined without records. */
  readonly value: string | undefined
  readonly ttl: number | undefined
}

/** A host in a zone that is verified for the account, with its addresses. */
export interface KnownHost extends Readonly<Record<AddressType, AddressSet>> {
  readonly zone: string
  /** Relative to the zone. */
  readonly host: string
}

interface Entry extends KnownHost {
  /** Of the zone, read before the records: every change of its records sets another one. */
  readonly serial: number
  /** Of the database, read before the serial; undefined on PostgreSQL. */
  readonly commit: number | undefined
}

/** How many hosts are kept, of all accounts: about 5 MB. */
const hostsMax = 10_000

/**
 * Reads the addresses of hosts for updates, and keeps them in memory. They are as current as a read of the database: on SQLite, they
 * are used without a query until the next commit of any process. After it, and on PostgreSQL, one query asks for the serials of the
 * zones, and only hosts of zones that have changed are read again.
 */
export function knownHosts(db: Database) {
  const kept = new LRUCache<string, Entry>({ max: hostsMax })
  const keyOf = ({ id }: Pick<Account, 'id'>, name: string) => `${String(id)} ${name}`

  async function readInZone(
    { id: accountId }: Pick<Account, 'id'>,
    zone: Pick<Entry, 'zone' | 'serial' | 'commit'>,
    hosts: ReadonlyMap<string, string>,
  ): Promise<[string, Entry][]> {
    const rows = await recordsAtHosts(db, { accountId, zone: zone.zone }, new Set(hosts.values()), nextTurn)
    const byHost = groupBy(rows, ({ host }) => host)
    return Array.from(hosts, ([name, host]) => [name, { ...zone, host, ...addressesIn(byHost.get(host) ?? []) }])
  }

  async function read(account: Account, names: readonly string[], commit: number | undefined) {
    const zones = new Map(
      (await verifiedZones(db, account.id, [...new Set(names.flatMap(suffixesOf))])).map((row) => [row.zone, row]),
    )
    const found = new Map<string, Entry>()
    const toRead = new Map<string, ZoneHosts>()
    for (const name of names) {
      const row = zoneOf(name, zones)
      if (row === undefined) continue
      const { zone, serial } = row
      const known = kept.get(keyOf(account, name))
      if (known?.zone === zone && known.serial === serial) found.set(name, { ...known, commit })
      else {
        const inZone = toRead.get(zone) ?? { zone, serial, hosts: new Map<string, string>() }
        toRead.set(zone, inZone)
        inZone.hosts.set(name, relativeHost(zone, name) ?? name)
      }
    }
    // One query for each zone: nearly always one.
    for (const { zone, serial, hosts } of toRead.values())
      for (const [name, entry] of await readInZone(account, { zone, serial, commit }, hosts)) found.set(name, entry)
    return found
  }

  return {
    /**
     * @param names canonical
     * @returns the hosts by their names, without those that are in no zone of the account
     */
    async find(account: Account, names: readonly string[]): Promise<ReadonlyMap<string, KnownHost>> {
      const commit = db.commitNumber()
      const known = names.map((name) => [name, kept.get(keyOf(account, name))] as const)
      if (commit !== undefined && known.every(([, entry]) => entry?.commit === commit))
        return new Map(known.map(([name, entry]) => [name, entry as Entry]))
      const found = await read(account, names, commit)
      for (const [name, entry] of found) kept.set(keyOf(account, name), entry)
      return found
    },
  }
}

interface ZoneHosts extends Pick<Entry, 'zone' | 'serial'> {
  /** Relative to the zone, by their names. */
  readonly hosts: Map<string, string>
}

/** The lowest of the zones that a name is in. */
const zoneOf = <Z>(name: string, zones: ReadonlyMap<string, Z>): Z | undefined => {
  const zone = suffixesOf(name).find((suffix) => zones.has(suffix))
  return zone === undefined ? undefined : zones.get(zone)
}

/** A name and all names above it, the longest first. */
function suffixesOf(name: string): string[] {
  const labels = name.split('.')
  return labels.map((_, at) => labels.slice(at).join('.'))
}

const addressesIn = (rows: readonly StoredRecord[]): Readonly<Record<AddressType, AddressSet>> => {
  const [a, aaaa] = addressTypes.map((type) => {
    const ofType = rows.filter((row) => row.type === type)
    return { count: ofType.length, value: ofType[0]?.value, ttl: ofType[0]?.ttl }
  }) as [AddressSet, AddressSet]
  return { A: a, AAAA: aaaa }
}
