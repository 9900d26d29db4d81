import { groupBy } from '@svc/contract'
import type { Database } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import type { RRset, Zone } from '../../ports/dns/port.js'
import type { StandingRecord } from './record.js'
import { rrsetOf } from './rrset-rules.js'

/** Zones as they are served, whoever has claimed them: a released zone stays. There is no account to ask for. */

/** Of how many zones the records are read at once, and how many records that may be, a larger zone apart. */
const zonesPerPage = 200
const recordsPerPage = 50_000

/** Served by the primary key. */
const page = prepared((db, p: { after: number; limit: number }) =>
  db
    .selectFrom('dns_zone')
    .where('id', '>', p.after)
    .select(['id', 'name', 'serial', 'last_record_id'])
    .orderBy('id')
    .limit(p.limit),
)

/** Served by the primary key (zone_id, id). */
const recordsBetween = prepared((db, p: { first: number; last: number }) =>
  db
    .selectFrom('dns_record')
    .where('zone_id', '>=', p.first)
    .where('zone_id', '<=', p.last)
    .select(['zone_id', 'id', 'type', 'host', 'value', 'ttl', 'priority'])
    .orderBy('zone_id')
    .orderBy('id'),
)

const byName = prepared((db, p: { name: string }) =>
  db.selectFrom('dns_zone').where('name', '=', p.name).select(['id', 'name', 'serial']),
)

/** Served by dns_zone_by_version (version). */
const changedSince = prepared((db, p: { version: number }) =>
  db.selectFrom('dns_zone').where('version', '>', p.version).select(['name', 'serial', 'version']).orderBy('version'),
)

const newest = prepared((db, _: object) =>
  db.selectFrom('dns_zone').select((zone) => zone.fn.max('version').as('version')),
)

export type ZoneStore = ReturnType<typeof zoneStore>

export const zoneStore = (db: Database) => ({
  /** Every zone with its records, a page at a time: memory does not grow with their number. */
  async *all(): AsyncGenerator<Zone> {
    for (let after = 0; ;) {
      const zones = upToSoMany(await db.all(page, { after, limit: zonesPerPage }))
      const [first, last] = [zones[0], zones.at(-1)]
      if (first === undefined || last === undefined) return
      const rows = groupBy(await db.all(recordsBetween, { first: first.id, last: last.id }), (row) => row.zone_id)
      for (const { id, name, serial } of zones) yield { zone: name, serial, rrsets: rrsetsOf(name, rows.get(id) ?? []) }
      after = last.id
    }
  },

  /** The names alone. */
  async *names(): AsyncGenerator<string> {
    for (let after = 0; ;) {
      const zones = await db.all(page, { after, limit: zonesPerPage })
      for (const { id, name } of zones) {
        yield name
        after = id
      }
      if (zones.length === 0) return
    }
  },

  /** Whether the zone has ever been verified. */
  has: async (name: string): Promise<boolean> => (await db.one(byName, { name })) !== undefined,

  /** One zone; without RRsets and with the first serial where it has not been verified yet. */
  async contents(name: string): Promise<Zone> {
    const zone = await db.one(byName, { name })
    if (zone === undefined) return { zone: name, serial: 1, rrsets: [] }
    const rows = await db.all(recordsBetween, { first: zone.id, last: zone.id })
    return { zone: name, serial: zone.serial, rrsets: rrsetsOf(name, rows) }
  },

  /** Zones that have changed since a version, the oldest change first. */
  changedSince: (version: number) => db.all(changedSince, { version }),

  newestVersion: async (): Promise<number> => (await db.one(newest, {}))?.version ?? 0,
})

/** The first zones, as many as fit; one at least. No zone has more records than it has given out ids. */
function upToSoMany<Z extends { readonly last_record_id: number }>(zones: readonly Z[]): Z[] {
  let records = 0
  return zones.filter(({ last_record_id }, i) => (records += last_record_id) <= recordsPerPage || i === 0)
}

export function rrsetsOf(zone: string, rows: readonly StandingRecord[]): RRset[] {
  const sets = groupBy(rows, ({ host, type }) => `${host} ${type}`)
  return Array.from(sets.values(), (set) => rrsetOf(zone, set[0]?.host ?? '@', set[0]?.type ?? 'A', set))
}
