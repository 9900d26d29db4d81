import { sql } from 'kysely'
import type { Reader, Transaction } from '../db/port.js'
import { prepared } from '../db/prepared.js'
import { operatorName } from '../shared/operator-name.js'

/** The journal of the operator's commands. */

/** A row to be written. */
export interface NewOperatorEvent {
  readonly at: number
  readonly command: string
  readonly object: string
  /** The account whose email the row gets; null without an account. */
  readonly accountId: number | null
  /** JSON object; null without fields. */
  readonly before: string | null
  readonly after: string | null
}

/** From a JSON list. The email is that of now: the row stays when the account is deleted. */
const insert = prepared((db, p: { rows: string }, dialect) => {
  const rows = dialect === 'postgres' ? sql`json_array_elements(cast(${p.rows} as json))` : sql`json_each(${p.rows})`
  const field = (name: string) => sql`value ->> ${sql.lit(name)}`
  return db
    .insertInto('operator_event')
    .columns(['at', 'command', 'object', 'account', 'os_user', 'before', 'after'])
    .expression(
      sql`select cast(${field('at')} as bigint), ${field('command')}, ${field('object')},
        (select email from account where account.id = cast(${field('accountId')} as bigint)),
        ${field('osUser')}, ${field('before')}, ${field('after')} from ${rows}`,
    )
})

/** Writes what commands do, in the transaction of their change, with the user of the operating system. */
export function recordOperatorEvents(tx: Transaction, events: readonly NewOperatorEvent[]): void {
  const osUser = operatorName().slice(0, 255)
  tx.send(insert, { rows: JSON.stringify(events.map((event) => ({ ...event, osUser }))) })
}

/** A row of the journal. */
export interface OperatorEventRow {
  readonly id: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly command: string
  readonly object: string
  /** Email of the account as it was then; null without an account. */
  readonly account: string | null
  /** The user of the operating system. */
  readonly osUser: string
  /** JSON object; null without fields. */
  readonly before: string | null
  readonly after: string | null
}

/** Newest first. Served by the primary key. */
const page = prepared((db, p: { before: number; rows: number }) =>
  db
    .selectFrom('operator_event')
    .where('id', '<', p.before)
    .select(['id', 'at', 'command', 'object', 'account', 'os_user as osUser', 'before', 'after'])
    .orderBy('id', 'desc')
    .limit(p.rows),
)

/** What the operator's commands have done, with ids below `before`: the newest first. */
export const readOperatorEvents = (
  reader: Reader,
  p: { readonly before: number; readonly rows: number },
): Promise<OperatorEventRow[]> => reader.all(page, p)
