import { sql } from 'kysely'
import { nextVersion } from '../../areas/dns/zones/version-store.js'
import { prepared } from '../../db/prepared.js'

/** The rows of imported zones. Operator store: a zone may have been another account's. */

/** Served by the unique name. */
export const zoneByName = prepared((db, p: { name: string }) =>
  db
    .selectFrom('dns_zone')
    .where('name', '=', p.name)
    .select(['id', 'serial', 'last_record_id as lastRecordId', 'deleted_at as deletedAt']),
)

/** Serves the records of an account, as the last change of its zone. */
export const holdZone = prepared(
  (db, p: { id: number; serial: number; accountId: number; lastRecordId: number }, dialect) =>
    db
      .updateTable('dns_zone')
      .set({
        serial: p.serial,
        version: nextVersion(dialect),
        holder_id: p.accountId,
        last_record_id: p.lastRecordId,
        deleted_at: null,
        content_bytes: sql<number>`(select coalesce(sum(octet_length(value) + octet_length(host)), 0)
          from dns_record where zone_id = dns_zone.id and account_id = ${p.accountId})`,
      })
      .where('id', '=', p.id),
)

/** For records that are not served: finds them for an export, and for the deletion of the account. */
export const rememberRecords = prepared((db, p: { id: number; accountId: number }) =>
  db
    .insertInto('dns_former_holder')
    .values({ account_id: p.accountId, zone_id: p.id })
    .onConflict((conflict) => conflict.doNothing()),
)

/** For records that are not served: no further record gets their ids. */
export const setLastRecordId = prepared((db, p: { id: number; lastRecordId: number }) =>
  db.updateTable('dns_zone').set({ last_record_id: p.lastRecordId }).where('id', '=', p.id),
)
