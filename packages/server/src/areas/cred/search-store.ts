import { fitsPattern, patternsOf, startsFirst, type TextPatterns } from '../../db/contains.js'
import type { Database } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import { foundOfKindMax, type Search } from '../../shared/found.js'

/** Served by credential_name (account_id, platform, label): reads all names of the account, which are limited. */
const named = prepared((db, p: TextPatterns & { accountId: number; rows: number }, dialect) =>
  db
    .selectFrom('credential')
    .where('account_id', '=', p.accountId)
    .where((row) =>
      row.or([
        fitsPattern('platform', p.pattern, dialect),
        fitsPattern('label', p.pattern, dialect),
        fitsPattern('username', p.pattern, dialect),
      ]),
    )
    .select(['id', 'platform', 'label', 'username'])
    .orderBy(startsFirst('platform', p.start, dialect))
    .orderBy('platform')
    .orderBy('label')
    .limit(p.rows),
)

/** Finds credentials by what their list shows without asking. Secrets are encrypted, and not read. */
export const credentialSearch =
  (db: Database): Search =>
  async ({ id: accountId }, text) => {
    const rows = await db.all(named, { accountId, ...patternsOf(text), rows: foundOfKindMax })
    return rows.map(({ id, platform, label, username }) => ({
      kind: 'credential',
      label: label === '' ? platform : `${platform} · ${label}`,
      detail: username ?? '',
      path: [String(id)],
    }))
  }
