import { sql } from 'kysely'
import { isOwnBefore } from '../../db/account-page.js'
import { contains, searched, startsFirst, type Searched } from '../../db/contains.js'
import type { Database } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import { foundOfKindMax, type Search } from '../../shared/found.js'

/** The newest deployments of an account that are searched: an account may have any number. */
const searchedMax = 10_000
/** Characters of a target that are shown. */
const targetMaxLength = 100

/** Served by deployment_by_account (account_id, id), read backwards. */
const named = prepared((db, p: Searched & { accountId: number; before: number; rows: number }, dialect) => {
  const newest = db
    .selectFrom('deployment')
    .where(isOwnBefore('deployment', p, dialect))
    .select(['id', 'kind', 'slug', 'target'])
    .orderBy('account_id', 'desc')
    .orderBy('id', 'desc')
    .limit(sql.lit(searchedMax))
  return db
    .selectFrom(newest.as('newest'))
    .where((row) => row.or([contains('slug', p, dialect), contains('target', p, dialect)]))
    .select(['id', 'kind', 'slug', sql<string | null>`substr(target, 1, ${sql.lit(targetMaxLength)})`.as('target')])
    .orderBy(startsFirst('slug', p, dialect))
    .orderBy('id', 'desc')
    .limit(p.rows)
})

/** Finds forms, webhooks and short links by slug or target. */
export const deploymentSearch =
  (db: Database): Search =>
  async ({ id: accountId }, text) => {
    const before = Number.MAX_SAFE_INTEGER
    const rows = await db.all(named, { accountId, before, ...searched(text), rows: foundOfKindMax })
    return rows.map(({ id, kind, slug, target }) => ({ kind, label: slug, detail: target ?? '', path: [String(id)] }))
  }
