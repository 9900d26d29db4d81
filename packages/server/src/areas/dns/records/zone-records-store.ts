import type { Reader } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { ZoneOfAccount } from './host-store.js'
import { readInPages, type Pause, type RecordPage } from './pages.js'
import { recordColumns } from './presenter.js'
import type { StoredRecord } from './record.js'

/** All records of an account in a zone. */

/** Served by the primary key (zone_id, id). */
const recordsOf = prepared((db, p: ZoneOfAccount & RecordPage) =>
  db
    .selectFrom('dns_record')
    .where('zone_id', '=', p.zoneId)
    .where('account_id', '=', p.accountId)
    .where('id', '>', p.after)
    .select(recordColumns)
    .orderBy('id')
    .limit(p.limit),
)

/** Reads all records in the order of their ids, one page at a time. @param keep selects the records of a page that are returned */
export const readZoneRecords = (
  reader: Reader,
  { zoneId, accountId }: ZoneOfAccount,
  pause: Pause,
  keep?: (page: StoredRecord[]) => StoredRecord[],
): Promise<StoredRecord[]> => readInPages((page) => reader.all(recordsOf, { ...page, zoneId, accountId }), pause, keep)
