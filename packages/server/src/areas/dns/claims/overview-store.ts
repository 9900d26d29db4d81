import { overviewEntriesMax } from '@svc/contract/limits'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Overview } from '../../../http/area.js'
import { challengeName } from '../../../ports/dns/challenge.js'

/** Served by dns_claim_of_account. */
const counts = prepared((db, p: { accountId: number }) =>
  db
    .selectFrom('dns_claim')
    .where('account_id', '=', p.accountId)
    .groupBy('status')
    .select((claim) => ['status', claim.fn.countAll<number>().as('claims')]),
)

/** Served by dns_claim_of_account: an account has few claims. */
const unverified = prepared((db, p: { accountId: number; rows: number }) =>
  db
    .selectFrom('dns_claim')
    .where('account_id', '=', p.accountId)
    .where('status', '=', 'pending')
    .select(['zone', 'method'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(p.rows),
)

/** Zones on the start page of the console: from the stored claims, without a question to a resolver. */
export const dnsOverview =
  (db: Database): Overview<'dns'> =>
  async ({ id: accountId }) => {
    const [rows, pending] = await Promise.all([
      db.all(counts, { accountId }),
      db.all(unverified, { accountId, rows: overviewEntriesMax }),
    ])
    return {
      zones: rows.reduce((sum, { claims }) => sum + claims, 0),
      pending: rows.find(({ status }) => status === 'pending')?.claims ?? 0,
      unverified: pending.map(({ zone, method }) => ({
        zone,
        txt_name: method === 'txt' ? challengeName(zone) : null,
      })),
    }
  }
