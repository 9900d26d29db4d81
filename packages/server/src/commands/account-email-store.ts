import { isInNumbers } from '../db/json-list.js'
import type { Reader } from '../db/port.js'
import { prepared } from '../db/prepared.js'

/** The e-mail addresses of accounts, for lists of the operator. Operator store. */

/** Served by the primary key. @param p.ids JSON array */
const emails = prepared((db, p: { ids: string }, dialect) =>
  db
    .selectFrom('account')
    .where(isInNumbers('id', p.ids, dialect))
    .select(['id', 'email']),
)

/** @returns addresses by account id */
export async function accountEmails(reader: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = await reader.all(emails, { ids: JSON.stringify([...new Set(ids)]) })
  return new Map(rows.map(({ id, email }) => [id, email]))
}
