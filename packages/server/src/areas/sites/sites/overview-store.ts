import { overviewEntriesMax } from '@svc/contract/limits'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Overview } from '../../../http/area.js'
import { timestamp } from '../../../shared/timestamp.js'
import type { SiteReadStore } from './read-store.js'

/** Served by site_by_account (account_id, deployed_at desc, id desc). */
const deploys = prepared((db, p: { accountId: number; rows: number }) =>
  db
    .selectFrom('site')
    .where('account_id', '=', p.accountId)
    .select(['name', 'files', 'size', 'deployed_at as deployedAt'])
    .orderBy('deployed_at', 'desc')
    .orderBy('id', 'desc')
    .limit(p.rows),
)

/** Sites on the start page of the console. */
export const sitesOverview =
  (db: Database, { count }: Pick<SiteReadStore, 'count'>): Overview<'sites'> =>
  async (account) => {
    const [sites, rows] = await Promise.all([
      count(account),
      db.all(deploys, { accountId: account.id, rows: overviewEntriesMax }),
    ])
    return { sites, deploys: rows.map(({ deployedAt, ...site }) => ({ ...site, deployed_at: timestamp(deployedAt) })) }
  }
