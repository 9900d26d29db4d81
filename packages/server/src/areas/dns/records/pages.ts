import { sql } from 'kysely'
import type { Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { StoredRecord } from './record.js'

/** Many records of a zone, read in parts that do not block the event loop. */

/** Lets other work run between two parts. */
export type Pause = () => Promise<unknown>

/** A statement without effect. */
const nothing = prepared((db) => db.selectNoFrom(sql<number>`1`.as('one')))

/** A unit may await only its transaction, so this is how a long one lets other work run. */
export const pauseIn =
  (tx: Transaction): Pause =>
  () =>
    tx.one(nothing, {})

/** A part of records that are ordered by id. */
export interface RecordPage {
  /** Exclusive. */
  readonly after: number
  readonly limit: number
}

/** How many records are read in one turn of the event loop. */
const recordsPerTurn = 1000

/**
 * Reads records page by page.
 * @param keep what is kept of a page
 */
export async function readInPages<R extends Pick<StoredRecord, 'id'> = StoredRecord>(
  readPage: (page: RecordPage) => Promise<R[]>,
  pause: Pause,
  keep: (page: R[]) => R[] = (page) => page,
): Promise<R[]> {
  const records: R[] = []
  for (let after = 0; ;) {
    const some = await readPage({ after, limit: recordsPerTurn })
    for (const record of keep(some)) records.push(record)
    const last = some.at(-1)
    if (last === undefined || some.length < recordsPerTurn) return records
    after = last.id
    await pause()
  }
}
