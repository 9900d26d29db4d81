import { sql, type RawBuilder } from 'kysely'
import type { TableName } from './table-declaration.js'

/**
 * The condition that the zone of a row is verified for its account. Served by dns_claim_of_account: a subquery for each row, because
 * PostgreSQL could join all claims.
 * @param table with the columns `account_id` and `zone`
 */
export const isVerified = (table: TableName): RawBuilder<boolean> =>
  sql<boolean>`coalesce((select dns_claim.status from dns_claim where dns_claim.account_id = ${sql.ref(`${table}.account_id`)}
    and dns_claim.zone = ${sql.ref(`${table}.zone`)}), '') = 'verified'`
