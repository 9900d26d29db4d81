import { contains, searched, startsFirst, type Searched } from '../../../db/contains.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { foundOfKindMax, type Search } from '../../../shared/found.js'

/** Served by domain_once (account_id, name): reads all names of the account, which are limited. */
const named = prepared((db, p: Searched & { accountId: number; rows: number }, dialect) =>
  db
    .selectFrom('domain')
    .where('account_id', '=', p.accountId)
    .where(contains('name', p, dialect))
    .select(['name', 'registrar'])
    .orderBy(startsFirst('name', p, dialect))
    .orderBy('name')
    .limit(p.rows),
)

/** Finds domains of the portfolio by their names. */
export const domainSearch =
  (db: Database): Search =>
  async ({ id: accountId }, text) => {
    const rows = await db.all(named, { accountId, ...searched(text), rows: foundOfKindMax })
    return rows.map(({ name, registrar }) => ({ kind: 'domain', label: name, detail: registrar ?? '', path: [name] }))
  }
