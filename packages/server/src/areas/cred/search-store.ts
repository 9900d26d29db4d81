import { contains, searched, startsFirst, type Searched } from '../../db/contains.js'
import type { Database } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import { foundOfKindMax, type Search } from '../../shared/found.js'

/** Served by credential_name (account_id, platform, label): reads all names of the account, which are limited. */
const named = prepared((db, p: Searched & { accountId: number; rows: number }, dialect) =>
  db
    .selectFrom('credential')
    .where('account_id', '=', p.accountId)
    .where((row) =>
      row.or([contains('platform', p, dialect), contains('label', p, dialect), contains('username', p, dialect)]),
    )
    .select(['id', 'platform', 'label', 'username'])
    .orderBy(startsFirst('platform', p, dialect))
    .orderBy('platform')
    .orderBy('label')
    .limit(p.rows),
)

/** Finds credentials by what their list shows without asking. Secrets are encrypted, and not read. */
export const credentialSearch =
  (db: Database): Search =>
  async ({ id: accountId }, text) => {
    const rows = await db.all(named, { accountId, ...searched(text), rows: foundOfKindMax })
    return rows.map(({ id, platform, label, username }) => ({
      kind: 'credential',
      label: label === '' ? platform : `${platform} · ${label}`,
      detail: username ?? '',
      path: [String(id)],
    }))
  }
