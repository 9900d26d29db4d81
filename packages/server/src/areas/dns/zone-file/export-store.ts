import type { Reader } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { StoredRecord } from '../records/record.js'
import { isOf } from '../zones/holder-store.js'

/** Exports of zones as zone files, for the operator. */

const zoneByName = prepared((db, p: { zone: string }) =>
  db.selectFrom('dns_zone').where('name', '=', p.zone).where('deleted_at', 'is', null).select(['id', 'serial']),
)

/** The records that a zone serves: those of its holder or, if the holder is null, those without an account. */
const servedRecords = prepared((db, p: { zoneId: number }, dialect) =>
  db
    .selectFrom('dns_zone')
    .innerJoin('dns_record', 'dns_record.zone_id', 'dns_zone.id')
    .where('dns_zone.id', '=', p.zoneId)
    .where((is) => isOf(is.ref('dns_zone.holder_id'), dialect))
    .select(['dns_record.id', 'type', 'host', 'value', 'ttl', 'priority', 'created_at', 'updated_at'])
    .orderBy('dns_record.id'),
)

/** A zone with the records that it serves, whether or not an account holds it; undefined for a zone that is not served. */
export async function readServedZone(
  reader: Reader,
  zone: string,
): Promise<{ serial: number; records: readonly StoredRecord[] } | undefined> {
  const found = await reader.one(zoneByName, { zone })
  return found && { serial: found.serial, records: await reader.all(servedRecords, { zoneId: found.id }) }
}
