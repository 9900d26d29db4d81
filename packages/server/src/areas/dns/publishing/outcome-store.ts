import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Deadline } from '../../../ports/dns/deadline.js'
import { recordColumns, type StoredRecord } from '../records/plan.js'
import { zoneTurn } from '../zones/turn.js'

/** A change of a zone as its commit would leave it, for when the commit's answer is lost. */
export interface ExpectedChange {
  readonly zone: string
  readonly zoneId: number
  /** Of the zone before the change. */
  readonly serial: number
  /** Rows that the change writes. */
  readonly written: readonly StoredRecord[]
  /** Ids of the rows that it deletes. */
  readonly deleted: readonly number[]
}

/** Waits for the change to end: on PostgreSQL its transaction holds this row, even after its connection is lost. */
const lockedZone = prepared((db, p: { zoneId: number }, dialect) =>
  db
    .selectFrom('dns_zone')
    .where('id', '=', p.zoneId)
    .select('serial')
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

/** Served by the primary key (zone_id, id). */
const records = prepared((db, p: { zoneId: number }) =>
  db.selectFrom('dns_record').where('zone_id', '=', p.zoneId).select(recordColumns),
)

const isCommitted = unit(import.meta, 'isCommitted', zoneTurn, async (tx, change: ExpectedChange): Promise<boolean> => {
  const { zoneId, serial, written, deleted } = change
  const zone = await tx.one(lockedZone, { zoneId })
  if (zone === undefined || zone.serial === serial) return false
  const rows = new Map((await tx.all(records, { zoneId })).map((row) => [row.id, row]))
  return deleted.every((id) => !rows.has(id)) && written.every((row) => isSame(rows.get(row.id), row))
})

const isSame = (row: StoredRecord | undefined, expected: StoredRecord): boolean =>
  recordColumns.every((column) => row?.[column] === expected[column])

const retryAfterMs = 250

/**
 * Finds out whether a change was committed after its commit failed or got no answer. Call it under the zone's lock.
 * Asks again while the database cannot be reached, until the deadline is over.
 * @throws the last error of the database
 */
export async function findCommitted(
  db: Database,
  change: ExpectedChange,
  deadline: Deadline | undefined,
): Promise<boolean> {
  for (;;) {
    try {
      return await db.write(isCommitted, change)
    } catch (error) {
      if (deadline === undefined || deadline.remainingMs < retryAfterMs) throw error
      await sleep(retryAfterMs)
    }
  }
}
