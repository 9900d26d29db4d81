import { sql } from 'kysely'
import { toAccount, accountColumns } from '../areas/account/accounts/store.js'
import type { Database } from '../db/port.js'
import { prepared } from '../db/prepared.js'
import type { Account } from '../shared/account.js'
import type { LimitName } from '../shared/account-limits.js'
import type { AccountState } from '../shared/account-state.js'

/** All accounts, with what they use. Operator store. */

/** An account as the operator sees it. */
export interface ListedAccount extends Account {
  readonly state: AccountState
  /** The name of its plan, or null. */
  readonly plan: string | null
}

/** Resources whose use is counted for each account. The others are limits of one zone, file, site or package. */
export const usedResources = [
  'zones',
  'files',
  'files_bytes',
  'uploads',
  'sites',
  'sites_bytes',
  'packages',
  'packages_bytes',
  'artifacts',
  'deployments',
  'credentials',
  'domains',
  'sms_messages',
] as const satisfies readonly LimitName[]

/** What an account uses: numbers, or bytes. */
export type AccountUsage = Readonly<Record<(typeof usedResources)[number], number>>

const page = prepared((db, p: { after: number; rows: number }) =>
  db
    .selectFrom('account')
    .where('id', '>', p.after)
    .select([...accountColumns, 'account.state', 'account.plan'])
    .orderBy('id')
    .limit(p.rows),
)

const countOf = (table: string) =>
  sql<number>`(select count(*) from ${sql.table(table)} where ${sql.ref(`${table}.account_id`)} = account.id)`

/** A column of the one row that counts for an account; 0 without the row. */
const counted = (table: string, expression: string) =>
  sql<number>`coalesce((select ${sql.raw(expression)} from ${sql.table(table)}
    where ${sql.ref(`${table}.account_id`)} = account.id), 0)`

/** Counts for each account by the index of its column `account_id`. */
const usage = prepared((db, p: { after: number; rows: number }) =>
  db
    .selectFrom('account')
    .where('id', '>', p.after)
    .select('id')
    .select([
      countOf('dns_claim').as('zones'),
      counted('storage_use', 'files').as('files'),
      counted('storage_use', 'bytes').as('files_bytes'),
      counted('storage_use', 'uploads').as('uploads'),
      countOf('site').as('sites'),
      counted('site_use', 'bytes').as('sites_bytes'),
      counted('package_use', 'packages').as('packages'),
      counted('package_use', 'bytes').as('packages_bytes'),
      counted('package_use', 'artifacts').as('artifacts'),
      countOf('deployment').as('deployments'),
      countOf('credential').as('credentials'),
      countOf('domain').as('domains'),
      counted('sms_inbox', 'last_id - removed_id - deleted').as('sms_messages'),
    ])
    .orderBy('id')
    .limit(p.rows),
)

/** The accounts of one query: each one has a dozen counts. */
const pageRows = 200

export const userListStore = (db: Database) => ({
  /** Oldest first, a page at a time: the number of accounts has no limit. @param withUsage whether their use is counted */
  async *list(withUsage: boolean): AsyncGenerator<(ListedAccount & { usage?: AccountUsage })[], undefined> {
    for (let after = 0; ;) {
      const from = { after, rows: pageRows }
      const rows = await db.all(page, from)
      const used = new Map(withUsage ? (await db.all(usage, from)).map(({ id, ...counts }) => [id, counts]) : [])
      yield rows.map((row) => {
        const counts = used.get(row.id)
        return { ...toAccount(row), state: row.state, plan: row.plan, ...(counts && { usage: counts }) }
      })
      const last = rows.at(-1)
      if (last === undefined || rows.length < pageRows) return undefined
      after = last.id
    }
  },
})
