import { overviewEntriesMax, overviewExpiryDays } from '@svc/contract/limits'
import { sql } from 'kysely'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Overview } from '../../../http/area.js'
import { timestamp } from '../../../shared/timestamp.js'

const attentionMs = overviewExpiryDays * 24 * 60 * 60_000

/** The expression of the index domain_by_expiry. */
const expiry = sql<number>`coalesce(expires_at, 9007199254740991)`

/** Both are served by an index alone: domain_revision and domain_by_expiry. */
const counts = prepared((db, p: { accountId: number; before: number }) =>
  db.selectNoFrom((of) => [
    of
      .selectFrom('domain')
      .where('account_id', '=', p.accountId)
      .select((domain) => domain.fn.countAll<number>().as('domains'))
      .as('domains'),
    of
      .selectFrom('domain')
      .where('account_id', '=', p.accountId)
      .where(expiry, '<', p.before)
      .select((domain) => domain.fn.countAll<number>().as('expiring'))
      .as('expiring'),
  ]),
)

/** Served by domain_by_expiry. */
const soonest = prepared((db, p: { accountId: number; before: number; rows: number }) =>
  db
    .selectFrom('domain')
    .where('account_id', '=', p.accountId)
    .where(expiry, '<', p.before)
    .select(['name', 'expires_at as expiresAt'])
    .$narrowType<{ expiresAt: number }>()
    .orderBy(expiry)
    .orderBy('name')
    .limit(p.rows),
)

/** Domains on the start page of the console. @param now in milliseconds since the epoch */
export const domainsOverview =
  (db: Database, now: () => number): Overview<'domains'> =>
  async ({ id: accountId }) => {
    const before = now() + attentionMs
    const [counted, rows] = await Promise.all([
      db.one(counts, { accountId, before }),
      db.all(soonest, { accountId, before, rows: overviewEntriesMax }),
    ])
    return {
      domains: counted?.domains ?? 0,
      expiring: counted?.expiring ?? 0,
      soonest: rows.map(({ name, expiresAt }) => ({ domain: name, expires_at: timestamp(expiresAt) })),
    }
  }
