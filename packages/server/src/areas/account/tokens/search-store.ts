import { contains, searched, startsFirst, type Searched } from '../../../db/contains.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { foundOfKindMax, type Search } from '../../../shared/found.js'

/** Served by token_by_account (account_id, id desc): reads all tokens of the account, which are limited. */
const named = prepared((db, p: Searched & { accountId: number; rows: number }, dialect) =>
  db
    .selectFrom('token')
    .where('account_id', '=', p.accountId)
    .where(contains('name', p, dialect))
    .select(['id', 'name', 'prefix', 'tsig_algorithm'])
    .orderBy(startsFirst('name', p, dialect))
    .orderBy('id', 'desc')
    .limit(p.rows),
)

/** Finds tokens by their names. */
export const tokenSearch =
  (db: Database): Search =>
  async ({ id: accountId }, text) => {
    const rows = await db.all(named, { accountId, ...searched(text), rows: foundOfKindMax })
    return rows.map(({ id, name, prefix, tsig_algorithm: tsig }) => ({
      kind: 'key',
      label: name,
      detail: tsig === null ? `${prefix}…` : `TSIG, ${tsig}`,
      path: [String(id)],
    }))
  }
