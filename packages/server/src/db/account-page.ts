import { sql } from 'kysely'
import type { Dialect } from './dialect.js'

/** Tables whose primary key is the id alone, with an index on (account_id, id). */
type PagedTable = 'deployment' | 'dns_claim' | 'file' | 'upload'

/**
 * The condition that a row belongs to an account and is below an id. Order by `account_id desc, id desc`. On PostgreSQL, only an index on
 * both columns fits this condition and order. With `account_id = …`, PostgreSQL may read the primary key backwards, and skip all newer
 * rows of other accounts.
 */
export function isOwnBefore(table: PagedTable, p: { accountId: number; before: number }, dialect: Dialect) {
  const [accountId, id] = [sql.ref(`${table}.account_id`), sql.ref(`${table}.id`)]
  return dialect === 'postgres'
    ? sql<boolean>`(${accountId}, ${id}) < (${p.accountId}, ${p.before}) and (${accountId}, ${id}) > (${p.accountId}, 0)`
    : sql<boolean>`${accountId} = ${p.accountId} and ${id} < ${p.before}`
}
