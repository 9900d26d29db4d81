import { sql } from 'kysely'
import type { Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { recordColumns } from './presenter.js'
import type { StoredRecord } from './record.js'

/** A row of a record. */
export interface RecordRow extends StoredRecord {
  readonly zone_id: number
  readonly account_id: number
}

const columns = ['zone_id', 'account_id', ...recordColumns] as const

const fields = sql.join(columns.map((name) => sql`value ->> ${sql.lit(name)} as ${sql.id(name)}`))

/** From a JSON list. */
const insertAll = prepared((db, p: { rows: string }, dialect) => {
  const rows =
    dialect === 'postgres'
      ? sql`json_to_recordset(cast(${p.rows} as json)) as r(zone_id bigint, account_id bigint, id bigint, type text, host text, value text,
          ttl integer, priority integer, created_at text, updated_at text)`
      : sql`(select ${fields} from json_each(${p.rows})) as r`
  return db
    .insertInto('dns_record')
    .columns([...columns])
    .expression(sql`select r.* from ${rows}`)
})

/** Inserts records in one statement: 10,000 round trips would take minutes. */
export const insertRecords = (tx: Transaction, rows: readonly RecordRow[]): void => {
  tx.send(insertAll, { rows: JSON.stringify(rows) })
}
