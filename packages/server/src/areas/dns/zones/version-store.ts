import { sql } from 'kysely'
import type { Dialect, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'

/**
 * Serial and version of a zone: every change sets both. The serial counts the changes of the zone. The version tells other
 * processes which zones have changed:
 *
 * - SQLite has one writer at a time: versions count the changes of all zones, in the order of their commits.
 * - On PostgreSQL, changes of different zones are committed in any order, and none waits for another. The version is the id of the
 *   transaction. A snapshot knows which transactions had ended when it was taken, so it finds the zones that changed later.
 */

/** The SOA serial after a change (RFC 1982): 32 bits, and never 0, which some secondaries read as "no serial". */
export const nextSerial = (serial: number): number => (serial >= 0xffff_ffff ? 1 : serial + 1)

/** On SQLite served by dns_zone_by_version (version). */
export const nextVersion = (dialect: Dialect) =>
  dialect === 'postgres'
    ? sql<number>`cast(cast(pg_current_xact_id() as text) as bigint)`
    : sql<number>`(select coalesce(max(version), 0) + 1 from dns_zone)`

/** How far the changes of zones have been read: the highest version on SQLite, a snapshot on PostgreSQL. Opaque text. */
export type ZonePosition = string

const positionNow = (dialect: Dialect) =>
  dialect === 'postgres'
    ? sql<ZonePosition>`cast(pg_current_snapshot() as text)`
    : sql<ZonePosition>`(select cast(coalesce(max(version), 0) as text) from dns_zone)`

/**
 * The condition that a zone has changed since a position. On PostgreSQL, the range of ids serves the index. While a transaction stays
 * open, the range also contains zones that were read before; the last condition excludes them. The upper limit excludes rows that were
 * restored from another database with ids that this one has not reached.
 */
const isChangedSince = (position: ZonePosition, dialect: Dialect) => {
  if (dialect === 'sqlite') return sql<boolean>`dns_zone.version > cast(${position} as integer)`
  const snapshot = sql`cast(${position} as pg_snapshot)`
  return sql<boolean>`dns_zone.version >= cast(cast(pg_snapshot_xmin(${snapshot}) as text) as bigint)
    and dns_zone.version < cast(cast(pg_snapshot_xmax(pg_current_snapshot()) as text) as bigint)
    and not pg_visible_in_snapshot(cast(cast(dns_zone.version as text) as xid8), ${snapshot})`
}

/** One row with the position now. */
export const currentPosition = prepared((db, _: object, dialect) =>
  db.selectNoFrom(positionNow(dialect).as('position')),
)

/**
 * The zones that have changed since a position. Each row has the new position, taken in the same snapshot. If no zone has changed, the
 * only row has the position alone. Served by dns_zone_by_version (version).
 */
export const changesSince = prepared((db, p: { position: ZonePosition }, dialect) =>
  db
    .selectFrom(db.selectNoFrom(positionNow(dialect).as('position')).as('now'))
    .leftJoin('dns_zone', (join) => join.on(isChangedSince(p.position, dialect)))
    .select(['now.position', 'dns_zone.name', 'dns_zone.serial']),
)

const advance = prepared((db, p: { zoneId: number; serial: number; created: number; growth: number }, dialect) =>
  db
    .updateTable('dns_zone')
    .set((zone) => ({
      serial: p.serial,
      version: nextVersion(dialect),
      last_record_id: zone('last_record_id', '+', p.created),
      content_bytes: zone('content_bytes', '+', p.growth),
    }))
    .where('id', '=', p.zoneId),
)

/**
 * Increments the serial and sets the version of a zone after a change of its records.
 * @param created how many records the change created
 * @param growth by how many bytes its content grew
 * @returns the new serial
 */
export function advanceZone(
  tx: Transaction,
  { zoneId, serial }: { readonly zoneId: number; readonly serial: number },
  { created, growth }: { readonly created: number; readonly growth: number },
): number {
  const next = nextSerial(serial)
  tx.send(advance, { zoneId, serial: next, created, growth })
  return next
}

/** What changes of a zone's records set, besides its version. */
export interface AdvancedZone {
  readonly id: number
  readonly serial: number
  readonly last_record_id: number
  readonly content_bytes: number
}

const advancedColumns = ['id', 'serial', 'last_record_id', 'content_bytes'] as const

/** The zones of a JSON list. */
const advancedZones = (json: string, dialect: Dialect) => {
  const column = (name: string) => sql`cast(value ->> ${sql.lit(name)} as bigint) as ${sql.id(name)}`
  const rows = dialect === 'postgres' ? sql`json_array_elements(cast(${json} as json))` : sql`json_each(${json})`
  return sql<AdvancedZone>`(select ${sql.join(advancedColumns.map(column))} from ${rows})`.as<'advanced'>(
    sql.ref('advanced'),
  )
}

const advanceAll = prepared((db, p: { zones: string }, dialect) =>
  db
    .updateTable('dns_zone')
    .from(advancedZones(p.zones, dialect))
    .set({
      serial: sql.ref('advanced.serial'),
      version: nextVersion(dialect),
      last_record_id: sql.ref('advanced.last_record_id'),
      content_bytes: sql.ref('advanced.content_bytes'),
    })
    .where(sql<boolean>`dns_zone.id = advanced.id`),
)

/** Sets what changes of the records of locked zones have set. */
export const advanceZones = (tx: Transaction, zones: readonly AdvancedZone[]): void => {
  tx.send(advanceAll, { zones: JSON.stringify(zones) })
}
