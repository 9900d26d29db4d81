import { contains, searched, startsFirst, type Searched } from '../../../db/contains.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { foundOfKindMax, type Search } from '../../../shared/found.js'

/** Served by site_by_account (account_id, deployed_at desc, id desc): reads all sites of the account, which are limited. */
const named = prepared((db, p: Searched & { accountId: number; rows: number }, dialect) =>
  db
    .selectFrom('site')
    .where('account_id', '=', p.accountId)
    .where(contains('name', p, dialect))
    .select('name')
    .orderBy(startsFirst('name', p, dialect))
    .orderBy('name')
    .limit(p.rows),
)

/** Finds sites by their names. */
export const siteSearch =
  (db: Database): Search =>
  async ({ id: accountId }, text) => {
    const rows = await db.all(named, { accountId, ...searched(text), rows: foundOfKindMax })
    return rows.map(({ name }) => ({ kind: 'site', label: name, detail: '', path: [name] }))
  }
