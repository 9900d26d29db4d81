import { overviewEntriesMax } from '@svc/contract/limits'
import type { Database } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import type { Overview } from '../../http/area.js'
import { isNotOfOthers, namesOf } from '../../ports/certificates/acme/certificate-row-store.js'
import { timestamp } from '../../shared/timestamp.js'

/** Served by certificate_of_account: an account has few certificates. */
const failing = prepared((db, p: { accountId: number }) =>
  db
    .selectFrom('certificate')
    .where('account_id', '=', p.accountId)
    .where('wanted', '=', 1)
    .where('error', 'is not', null)
    .where(isNotOfOthers)
    .select(['names', 'not_after as notAfter']),
)

/** Certificates on the start page of the console. @param isOn whether the server orders certificates */
export const tlsOverview =
  (db: Database, isOn: boolean): Overview<'tls'> =>
  async ({ id: accountId }) => {
    const rows = isOn ? await db.all(failing, { accountId }) : []
    const named = rows
      .map(({ names, notAfter }) => ({ name: namesOf(names).at(-1) ?? '', notAfter }))
      .toSorted((a, b) => (a.notAfter ?? 0) - (b.notAfter ?? 0) || (a.name < b.name ? -1 : 1))
      .slice(0, overviewEntriesMax)
    return {
      failing: rows.length,
      soonest: named.map(({ name, notAfter }) => ({ name, not_after: notAfter === null ? null : timestamp(notAfter) })),
    }
  }
