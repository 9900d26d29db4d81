import { sql } from 'kysely'
import { numberList } from '../../../db/json-list.js'
import type { Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { ZoneOfAccount } from './host-store.js'
import type { Pause } from './pages.js'
import { recordColumns } from './presenter.js'
import type { StoredRecord } from './record.js'

/** A row of a record. */
export interface RecordRow extends StoredRecord {
  readonly zone_id: number
  readonly account_id: number
}

/** Of a new row. */
export const insertRecordColumns = ['zone_id', 'account_id', ...recordColumns] as const

const fields = sql.join(insertRecordColumns.map((name) => sql`value ->> ${sql.lit(name)} as ${sql.id(name)}`))

/** From a JSON list. */
const insertAll = prepared((db, p: { rows: string }, dialect) => {
  const rows =
    dialect === 'postgres'
      ? sql`json_to_recordset(cast(${p.rows} as json)) as r(zone_id bigint, account_id bigint, id bigint, type text, host text, value text,
          ttl integer, priority integer, created_at text, updated_at text)`
      : sql`(select ${fields} from json_each(${p.rows})) as r`
  return db
    .insertInto('dns_record')
    .columns([...insertRecordColumns])
    .expression(sql`select r.* from ${rows}`)
})

/** Inserts records in one statement: 10,000 round trips would take minutes. */
const insertRecords = (tx: Transaction, rows: readonly RecordRow[]): void => {
  tx.send(insertAll, { rows: JSON.stringify(rows) })
}

/**
 * Served by the primary key (zone_id, id). The ids are of records that were read for the account. With a condition on the
 * account, PostgreSQL expects so few rows that it compares each of them with every id.
 */
const removeAll = prepared((db, p: { zoneId: number; ids: string }, dialect) =>
  db.deleteFrom('dns_record').where('zone_id', '=', p.zoneId).where('id', 'in', numberList(p.ids, dialect)),
)

/** Rows of one statement: their JSON text takes a millisecond. */
const rowsAtOnce = 1000

/**
 * Deletes rows, and inserts others. A row that changes is among both, with its id and its time of creation.
 * @param removed records that were read for the account @param pause lets other work run between two statements
 */
export async function replaceRecords(
  tx: Transaction,
  { zoneId, accountId }: ZoneOfAccount,
  removed: readonly StoredRecord[],
  written: readonly StoredRecord[],
  pause: Pause,
): Promise<void> {
  tx.send(removeAll, { zoneId, ids: JSON.stringify(removed.map(({ id }) => id)) })
  for (let first = 0; first < written.length; first += rowsAtOnce) {
    if (first > 0) await pause()
    const some = written.slice(first, first + rowsAtOnce)
    insertRecords(
      tx,
      some.map((record) => ({ ...record, zone_id: zoneId, account_id: accountId })),
    )
  }
}
