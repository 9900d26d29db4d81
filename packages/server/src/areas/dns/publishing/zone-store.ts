import { setImmediate as nextTurn } from 'node:timers/promises'
import { groupBy } from '@svc/contract/group-by'
import { sql } from 'kysely'
import type { Database } from '../../../db/port.js'
import { isServed } from '../../../db/served-accounts.js'
import { prepared } from '../../../db/prepared.js'
import type { Account } from '../../../shared/account.js'
import type { RRset, Zone } from '../../../ports/dns/port.js'
import { openChallenges, openChallengesBetween } from '../challenges/challenge-store.js'
import { zoneWithChallenges, type ChallengeValue } from '../challenges/overlay.js'
import type { ExistingRecord } from '../records/record.js'
import { rrsetsOf } from '../records/rrset.js'
import { isOf } from '../zones/holder-store.js'
import { changesSince, currentPosition, nextSerial, type ZonePosition } from '../zones/version-store.js'

/**
 * Zones as they are served: with the records of their holder, whether or not its claim has been released, and with the open values of
 * challenges.
 */

/** Limits of one page of zones. A zone beyond them is a page by itself. */
const zonesPerPage = 200
const recordsPerPage = 50_000
const bytesPerPage = 4_000_000

/** The account whose claim is verified. Served by dns_claim_verified (zone), a partial index that needs the literal status. */
const verifiedAccount = sql<number | null>`(select account_id from dns_claim
  where dns_claim.zone = dns_zone.name and dns_claim.status = 'verified')`

/** Served by the primary key. */
const page = prepared((db, p: { after: number; limit: number }) =>
  db
    .selectFrom('dns_zone')
    .where('id', '>', p.after)
    .where('deleted_at', 'is', null)
    .where(isServed('dns_zone.holder_id'))
    .select(['id', 'name', 'serial', 'holder_id', 'last_record_id', 'content_bytes', verifiedAccount.as('holder')])
    .orderBy('id')
    .limit(p.limit),
)

/** Served by the primary key. */
const serialsBetween = prepared((db, p: { first: number; last: number }) =>
  db.selectFrom('dns_zone').where('id', '>=', p.first).where('id', '<=', p.last).select(['id', 'serial']),
)

/** Served by the primary keys. The range is repeated for the records: with that of the zones alone, PostgreSQL would read all records. */
const recordsBetween = prepared((db, p: { first: number; last: number }, dialect) =>
  db
    .selectFrom('dns_zone')
    .innerJoin('dns_record', 'dns_record.zone_id', 'dns_zone.id')
    .where('dns_zone.id', '>=', p.first)
    .where('dns_zone.id', '<=', p.last)
    .where('dns_record.zone_id', '>=', p.first)
    .where('dns_record.zone_id', '<=', p.last)
    .where((is) => isOf(is.ref('dns_zone.holder_id'), dialect))
    .select(['zone_id', 'dns_record.id', 'type', 'host', 'value', 'ttl', 'priority'])
    .orderBy('zone_id')
    .orderBy('dns_record.id'),
)

/** Served by the primary key (zone_id, id). */
const recordsOf = prepared(
  (db, p: { zoneId: number; accountId: number | null; after: number; limit: number }, dialect) =>
    db
      .selectFrom('dns_record')
      .where('zone_id', '=', p.zoneId)
      .where('id', '>', p.after)
      .where(isOf(sql<number | null>`cast(${p.accountId} as bigint)`, dialect))
      .select(['id', 'type', 'host', 'value', 'ttl', 'priority'])
      .orderBy('id')
      .limit(p.limit),
)

const byName = prepared((db, p: { name: string }) =>
  db
    .selectFrom('dns_zone')
    .where('name', '=', p.name)
    .select(['id', 'name', 'serial', 'holder_id', 'deleted_at', verifiedAccount.as('holder')])
    .select(isServed('dns_zone.holder_id').as('is_served')),
)

/** How many records of one zone are read in one turn of the event loop. */
const recordsPerTurn = 1000
/** After this many attempts, a zone that keeps changing is read in one turn. */
const attemptsMax = 3

/**
 * A zone with its records. They may have changes up to the serial `latest`, which were made in the meantime; usually it is the zone's.
 * @param accountId whose records; the holder's by default
 */
async function oneZone(db: Database, name: string, accountId?: number) {
  for (let attempt = 0; ; attempt++) {
    const zone = await db.one(byName, { name })
    if (zone === undefined) return undefined
    const limit = attempt < attemptsMax ? recordsPerTurn : Number.MAX_SAFE_INTEGER
    const rows = await recordsInTurns(db, { zoneId: zone.id, accountId: accountId ?? zone.holder_id, limit })
    const challenges = await openChallenges(db, zone.id)
    // Pages that are read in several turns may belong to different serials.
    const latest = (await db.one(byName, { name }))?.serial ?? zone.serial
    if (rows.length < limit || latest === zone.serial) return { zone, rows, challenges, latest }
  }
}

async function recordsInTurns(db: Database, p: { zoneId: number; accountId: number | null; limit: number }) {
  const rows = []
  for (let after = 0; ;) {
    const some = await db.all(recordsOf, { ...p, after })
    rows.push(...some)
    const last = some.at(-1)
    if (last === undefined || some.length < p.limit) return rows
    after = last.id
    await nextTurn()
  }
}

/** RRsets of a large zone, in a separate turn of the event loop. */
async function rrsetsInTurn(
  name: string,
  { rows, challenges }: { readonly rows: readonly ExistingRecord[]; readonly challenges: readonly ChallengeValue[] },
): Promise<readonly RRset[]> {
  if (rows.length < recordsPerTurn) return zoneWithChallenges(name, rrsetsOf(name, rows), challenges)
  await nextTurn()
  const rrsets = rrsetsOf(name, rows)
  await nextTurn()
  return zoneWithChallenges(name, rrsets, challenges)
}

/** All zones without their records, a page at a time. */
async function* zoneRows(db: Database) {
  for (let after = 0; ;) {
    const zones = await db.all(page, { after, limit: zonesPerPage })
    for (const zone of zones) {
      yield zone
      after = zone.id
    }
    if (zones.length === 0) return
  }
}

/** The serial after the records of a zone were read, if it is another one. */
const changedMeanwhile = (serial: number, latest = serial): Pick<Zone, 'latest'> =>
  latest === serial ? {} : { latest }

/** Whether a zone that was verified is not served now. SQLite has no booleans. */
const isGone = ({ deleted_at: deletedAt, is_served: served }: { deleted_at: number | null; is_served: unknown }) =>
  deletedAt !== null || !served

/** A zone as it is stored. */
export interface StoredZone extends Zone {
  /** Whether it is not served: the operator has deleted it, or stopped its holder. */
  readonly isDeleted?: boolean
  /** Whether it has values that prove its names to a CA. */
  readonly isProving?: boolean
}

export type ZoneStore = ReturnType<typeof zoneStore>

export const zoneStore = (db: Database) => ({
  /** Every zone with its records, a page at a time: memory does not grow with their number. */
  async *all(): AsyncGenerator<Zone> {
    for (let after = 0; ;) {
      const zones = firstPage(await db.all(page, { after, limit: zonesPerPage }))
      const [first, last] = [zones[0], zones.at(-1)]
      if (first === undefined || last === undefined) return
      const rows = groupBy(await db.all(recordsBetween, { first: first.id, last: last.id }), (row) => row.zone_id)
      const challenges = groupBy(await openChallengesBetween(db, first.id, last.id), (row) => row.zone_id)
      const latest = new Map(
        (await db.all(serialsBetween, { first: first.id, last: last.id })).map((row) => [row.id, row.serial]),
      )
      for (const { id, name, serial, holder, holder_id: owner } of zones) {
        const rrsets = zoneWithChallenges(name, rrsetsOf(name, rows.get(id) ?? []), challenges.get(id) ?? [])
        yield { zone: name, serial, holder, owner, ...changedMeanwhile(serial, latest.get(id)), rrsets }
      }
      after = last.id
    }
  },

  /** The names of all zones. */
  async *names(): AsyncGenerator<string> {
    for await (const { name } of zoneRows(db)) yield name
  },

  /** The names of the zones with a verified claim. A released zone is served without one. */
  async *verifiedNames(): AsyncGenerator<string> {
    for await (const { name, holder } of zoneRows(db)) if (holder !== null) yield name
  },

  /** Whether the zone is served: it has been verified, was not deleted since, and its holder is not stopped. */
  async has(name: string): Promise<boolean> {
    const zone = await db.one(byName, { name })
    return zone !== undefined && !isGone(zone)
  },

  /** Differs after every change of the zone; undefined for a zone that has never been verified. */
  serial: async (name: string): Promise<number | undefined> => (await db.one(byName, { name }))?.serial,

  /** One zone; without RRsets and with the first serial if it has never been verified. */
  async contents(name: string): Promise<StoredZone> {
    const found = await oneZone(db, name)
    if (found === undefined) return { zone: name, serial: 1, holder: null, rrsets: [] }
    const { zone, latest } = found
    const { serial, holder, holder_id: owner } = zone
    if (isGone(zone)) return { zone: name, serial, holder: null, rrsets: [], isDeleted: true }
    const rrsets = await rrsetsInTurn(name, found)
    const served = { zone: name, serial, holder, owner, ...changedMeanwhile(serial, latest), rrsets }
    return found.challenges.length === 0 ? served : { ...served, isProving: true }
  },

  /**
   * One zone as it will be served once it is verified for an account.
   * @returns also whether it now serves records of another account, or records without an account
   */
  async contentsFor(name: string, { id: accountId }: Pick<Account, 'id'>): Promise<Zone & { isSwitch: boolean }> {
    const found = await oneZone(db, name, accountId)
    if (found === undefined)
      return { zone: name, serial: 1, holder: accountId, owner: accountId, rrsets: [], isSwitch: false }
    const { zone } = found
    const isSwitch = zone.holder_id !== accountId
    const rrsets = await rrsetsInTurn(name, found)
    return { zone: name, serial: nextSerial(zone.serial), holder: accountId, owner: accountId, rrsets, isSwitch }
  },

  /** @returns the zones that have changed since a position, and the new position */
  async changedSince(since: ZonePosition): Promise<ZoneChanges> {
    const rows = await db.all(changesSince, { position: since })
    const zones = rows.flatMap(({ name, serial }) => (name === null || serial === null ? [] : [{ name, serial }]))
    return { zones, position: rows[0]?.position ?? since }
  },

  /** The current position, for `changedSince`. Take it before reading the zones, so that no change is missed. */
  async position(): Promise<ZonePosition> {
    const row = await db.one(currentPosition, {})
    if (row === undefined) throw new Error('The query of the position returned no row.')
    return row.position
  },
})

/** Zones that have changed, with their serials, and the position to continue from. */
export interface ZoneChanges {
  readonly zones: readonly { readonly name: string; readonly serial: number }[]
  readonly position: ZonePosition
}

/** The first zones that fit into a page, at least one. A zone has at most `last_record_id` records. */
function firstPage<Z extends { readonly last_record_id: number; readonly content_bytes: number }>(
  zones: readonly Z[],
): Z[] {
  let records = 0
  let bytes = 0
  return zones.filter(({ last_record_id, content_bytes }, i) => {
    records += last_record_id
    bytes += content_bytes
    return (records <= recordsPerPage && bytes <= bytesPerPage) || i === 0
  })
}
