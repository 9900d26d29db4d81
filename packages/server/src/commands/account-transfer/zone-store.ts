import { sql } from 'kysely'
import { prepared } from '../../db/prepared.js'

/** The rows of imported zones. Operator store: a zone may have been another account's. */

/** Served by the unique name. */
export const zoneByName = prepared((db, p: { name: string }) =>
  db
    .selectFrom('dns_zone')
    .where('name', '=', p.name)
    .select(['id', 'last_record_id as lastRecordId', 'deleted_at as deletedAt']),
)

/** For the zone of a holder, whose serial and version this transaction has changed. */
export const countRecords = prepared((db, p: { id: number; accountId: number }) =>
  db
    .updateTable('dns_zone')
    .set({
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

/** No further record gets the ids of the imported ones. */
export const setLastRecordId = prepared((db, p: { id: number; lastRecordId: number }) =>
  db.updateTable('dns_zone').set({ last_record_id: p.lastRecordId }).where('id', '=', p.id),
)
