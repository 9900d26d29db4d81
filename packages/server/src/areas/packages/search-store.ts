import { contains, searched, startsFirst, type Searched } from '../../db/contains.js'
import type { Database } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import { foundOfKindMax, type Search } from '../../shared/found.js'

/** Served by package_by_account (account_id, slug): reads all packages of the account, which are limited. */
const named = prepared((db, p: Searched & { accountId: number; rows: number }, dialect) =>
  db
    .selectFrom('package')
    .where('account_id', '=', p.accountId)
    .where('deleted_at', 'is', null)
    .where((row) => row.or([contains('slug', p, dialect), contains('name', p, dialect)]))
    .select(['slug', 'name'])
    .orderBy(startsFirst('slug', p, dialect))
    .orderBy('slug')
    .limit(p.rows),
)

/** Finds packages by slug or name. */
export const packageSearch =
  (db: Database): Search =>
  async ({ id: accountId }, text) => {
    const rows = await db.all(named, { accountId, ...searched(text), rows: foundOfKindMax })
    return rows.map(({ slug, name }) => ({
      kind: 'package',
      label: name,
      detail: name === slug ? '' : slug,
      path: [slug],
    }))
  }
