import { sql } from 'kysely'
import type { Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'

/** Serial and version of a zone: every change advances both. */

/** The SOA serial after a change (RFC 1982): 32 bits, and never 0, which some secondaries read as "no serial". */
export const nextSerial = (serial: number): number => (serial >= 0xffff_ffff ? 1 : serial + 1)

/**
 * Keeps versions in the order of their commits. Without it, the zone follower could miss a version that is committed after
 * a higher one. Runs in the transaction right before `nextVersion` is used.
 */
export const holdVersions = prepared((db, _: object, dialect) =>
  // SQLite has one writer at a time.
  db.selectNoFrom(
    (dialect === 'postgres' ? sql`pg_advisory_xact_lock(hashtextextended('dns_zone.version', 0))` : sql`1`).as('held'),
  ),
)

/** Served by dns_zone_by_version (version). */
export const nextVersion = sql<number>`(select coalesce(max(version), 0) + 1 from dns_zone)`

const advance = prepared((db, p: { zoneId: number; serial: number; created: number; growth: number }) =>
  db
    .updateTable('dns_zone')
    .set((zone) => ({
      serial: p.serial,
      version: nextVersion,
      last_record_id: zone('last_record_id', '+', p.created),
      content_bytes: zone('content_bytes', '+', p.growth),
    }))
    .where('id', '=', p.zoneId),
)

/**
 * Advances serial and version of a zone after a change of its records.
 * @param created how many records the change created
 * @param growth by how many bytes its content grew
 * @returns the new serial
 */
export async function advanceZone(
  tx: Transaction,
  { zoneId, serial }: { readonly zoneId: number; readonly serial: number },
  { created, growth }: { readonly created: number; readonly growth: number },
): Promise<number> {
  const next = nextSerial(serial)
  await tx.run(holdVersions, {})
  await tx.run(advance, { zoneId, serial: next, created, growth })
  return next
}
