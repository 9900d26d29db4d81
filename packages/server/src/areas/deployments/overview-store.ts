import { overviewDays, overviewDeploymentsMax, overviewEntriesMax } from '@svc/contract/limits'
import { sql } from 'kysely'
import type { Database } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import type { Overview } from '../../http/area.js'
import { everyDay, lastDays, type DayRange } from '../../shared/days.js'
import { timestamp } from '../../shared/timestamp.js'
import type { DeploymentListStore } from './list-store.js'
import { failingColumns, toFailing } from './webhooks/failing-store.js'

/**
 * The webhooks of an account with failing deliveries. Served by webhook_delivery_failing (account_id, deployment_id, failing_since): one
 * look-up for each webhook, however many of its deliveries fail.
 */
const failing = prepared((db, p: { accountId: number; rows: number }) =>
  db
    .withRecursive('failing(id)', (cte) =>
      cte
        .selectFrom('webhook_delivery')
        .where('account_id', '=', p.accountId)
        .where('failing_since', 'is not', null)
        .select((row) => row.fn.min<number | null>('deployment_id').as('id'))
        .unionAll(
          cte
            .selectFrom('failing')
            .where('failing.id', 'is not', null)
            .select((before) =>
              before
                .selectFrom('webhook_delivery')
                .where('account_id', '=', p.accountId)
                .where('failing_since', 'is not', null)
                .whereRef('deployment_id', '>', 'failing.id')
                .select((row) => row.fn.min<number | null>('deployment_id').as('id'))
                .as('id'),
            ),
        ),
    )
    .selectFrom('failing')
    .innerJoin('deployment', 'deployment.id', 'failing.id')
    .select(['deployment.id', 'deployment.slug'])
    .select(failingColumns(db))
    .limit(p.rows),
)

/** Of the newest deployments. Served by deployment_by_account (account_id, id), and by the primary key (deployment_id, day). */
const usesByDay = prepared((db, p: DayRange & { accountId: number; rows: number }) =>
  db
    .selectFrom('deployment_use_day')
    .where('deployment_id', 'in', (of) =>
      of
        .selectFrom('deployment')
        .where('account_id', '=', p.accountId)
        .select('id')
        .orderBy('id', 'desc')
        .limit(p.rows),
    )
    .where('day', '>=', p.first)
    .where('day', '<=', p.last)
    .groupBy('day')
    .select(['day', sql<number>`cast(sum(uses) as bigint)`.as('count')]),
)

/** Forms, webhooks and short links on the start page of the console. */
export const deploymentsOverview =
  (db: Database, { count }: Pick<DeploymentListStore, 'count'>): Overview<'deployments'> =>
  async (account) => {
    const { id: accountId } = account
    const days = lastDays(overviewDays)
    const [deployments, webhooks, uses] = await Promise.all([
      count(account),
      db.all(failing, { accountId, rows: overviewEntriesMax + 1 }),
      db.all(usesByDay, { accountId, rows: overviewDeploymentsMax, ...days }),
    ])
    return {
      deployments,
      failing: webhooks.slice(0, overviewEntriesMax).flatMap(({ id, slug, ...counts }) => {
        const failing = toFailing(counts)
        return failing === null ? [] : [{ id, slug, count: failing.count, since: timestamp(failing.since) }]
      }),
      more_failing: webhooks.length > overviewEntriesMax,
      uses: deployments > overviewDeploymentsMax ? null : everyDay(days, uses, { count: 0 }),
    }
  }
