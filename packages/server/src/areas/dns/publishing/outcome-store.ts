import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { recordColumns } from '../records/presenter.js'
import type { StoredRecord } from '../records/record.js'

/** Finds out whether a write was committed when the commit failed or its answer was lost. */

/** A change of a zone's records, with the rows that its commit would leave. */
export interface ExpectedChange {
  readonly zone: string
  readonly zoneId: number
  /** The zone's serial before the change. */
  readonly serial: number
  /** Rows that the change writes. */
  readonly written: readonly StoredRecord[]
  /** Ids of the rows that it deletes. */
  readonly deleted: readonly number[]
}

/** Waits for the change to end: on PostgreSQL its transaction locks this row, even after its connection is lost. */
const serialOf = prepared((db, p: { zoneId: number }, dialect) =>
  db
    .selectFrom('dns_zone')
    .where('id', '=', p.zoneId)
    .select('serial')
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

/** All records of the zone, served by the primary key (zone_id, id) or dns_record_by_host (zone_id, host). */
const records = prepared((db, p: { zoneId: number }) =>
  db.selectFrom('dns_record').where('zone_id', '=', p.zoneId).select(recordColumns),
)

const isCommitted = unit(
  import.meta,
  'isCommitted',
  ({ zone }: ExpectedChange) => zone,
  async (tx, change: ExpectedChange): Promise<boolean> => {
    const { zoneId, serial, written, deleted } = change
    const zone = await tx.one(serialOf, { zoneId })
    if (zone === undefined || zone.serial === serial) return false
    const rows = new Map((await tx.all(records, { zoneId })).map((row) => [row.id, row]))
    return deleted.every((id) => !rows.has(id)) && written.every((row) => isSame(rows.get(row.id), row))
  },
)

const isSame = (row: StoredRecord | undefined, expected: StoredRecord): boolean =>
  recordColumns.every((column) => row?.[column] === expected[column])

/** Call it under the zone's lock. */
export const outcomeStore = (db: Database) => ({
  /** Whether a change of records was committed, once its transaction has ended. */
  wasCommitted: (change: ExpectedChange): Promise<boolean> => db.write(isCommitted, change),
})
