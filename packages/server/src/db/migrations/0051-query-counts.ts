import type { CreateTableBuilder, Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

/** The counts, by the outcome of a query. */
const counts = [
  'answers',
  'no_data',
  'nxdomain',
  'referrals',
  'truncated',
  'limited',
  'refused',
  'transfers',
  'updates',
] as const

/**
 * What the nameserver has answered for zones, by day and by hour, for the account that held the zone. Neither id has a foreign key: a
 * batch of counts would lock thousands of zones.
 */
export async function queryCounts(db: Kysely<unknown>, { int64, clustered }: ColumnTypes): Promise<void> {
  for (const [name, times] of Object.entries({ dns_query_day: ['day'], dns_query_hour: ['day', 'hour'] })) {
    const columns = ['zone_id', 'account_id', ...times]
    let table: CreateTableBuilder<string, string> = db.schema.createTable(name)
    for (const column of columns)
      table = table.addColumn(column, times.includes(column) ? 'integer' : int64, (of) => of.notNull())
    for (const count of counts) table = table.addColumn(count, int64, (of) => of.notNull())
    await table.addPrimaryKeyConstraint(`${name}_key`, columns).modifyEnd(clustered).execute()
    // For the job that removes old days, of all accounts.
    await db.schema.createIndex(`${name}_by_day`).on(name).columns(['day', 'zone_id']).execute()
  }
}
