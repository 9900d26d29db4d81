import { sql } from 'kysely'
import { prepared } from '../../../db/prepared.js'

/**
 * Keeps versions in the order of their commits: without it, a process that looks for what is newer than the last version
 * it saw could miss a lower one that is committed later. Runs in the transaction right before `nextVersion` is used.
 */
export const holdVersions = prepared((db, _: object, dialect) =>
  // SQLite has one writer at a time.
  db.selectNoFrom(
    (dialect === 'postgres' ? sql`pg_advisory_xact_lock(hashtextextended('dns_zone.version', 0))` : sql`1`).as('held'),
  ),
)

/** Served by dns_zone_by_version (version). */
export const nextVersion = sql<number>`(select coalesce(max(version), 0) + 1 from dns_zone)`
