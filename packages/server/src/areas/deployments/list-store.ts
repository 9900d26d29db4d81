import { deploymentKinds } from '@svc/contract/limits'
import { isOwnBefore } from '../../db/account-page.js'
import { isInTexts } from '../../db/json-list.js'
import type { Database, Reader } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import type { Account } from '../../shared/account.js'
import { cutPage, type Page, type PageKey } from '../../shared/page.js'
import { readableNames } from '../../shared/rules.js'
import { turns } from '../../shared/turns.js'
import type { DeploymentWithHealth } from './deployment.js'
import { failingColumns, toFailing } from './webhooks/failing-store.js'

/** Only the columns that are shown. Served by deployment_by_account (account_id, id), read backwards. */
const page = prepared((db, p: { accountId: number; before: number; rows: number }, dialect) =>
  db
    .selectFrom('deployment')
    .where(isOwnBefore('deployment', p, dialect))
    .select(['id', 'kind', 'slug', 'target', 'enabled', 'uses', 'created_at as createdAt'])
    .select(failingColumns(db))
    .orderBy('account_id', 'desc')
    .orderBy('id', 'desc')
    .limit(p.rows),
)

/** The same of some slugs. Served by the unique index on kind and slug. @param p.slugs JSON array */
const pageOfSlugs = prepared((db, p: { accountId: number; slugs: string; before: number; rows: number }, dialect) =>
  db
    .selectFrom('deployment')
    .where('account_id', '=', p.accountId)
    .where('kind', 'in', [...deploymentKinds])
    .where(isInTexts('slug', p.slugs, dialect))
    .where('id', '<', p.before)
    .select(['id', 'kind', 'slug', 'target', 'enabled', 'uses', 'created_at as createdAt'])
    .select(failingColumns(db))
    .orderBy('id', 'desc')
    .limit(p.rows),
)

/** Served by the unique index on kind and slug. @param p.slugs JSON array */
const countOfSlugs = prepared((db, p: { accountId: number; slugs: string }, dialect) =>
  db
    .selectFrom('deployment')
    .where('account_id', '=', p.accountId)
    .where('kind', 'in', [...deploymentKinds])
    .where(isInTexts('slug', p.slugs, dialect))
    .select((row) => row.fn.countAll<number>().as('count')),
)

/** Served by deployment_by_account. */
const count = prepared((db, p: { accountId: number }) =>
  db
    .selectFrom('deployment')
    .where('account_id', '=', p.accountId)
    .select((row) => row.fn.countAll<number>().as('count')),
)

/** How many deployments an account has. */
export const countDeployments = async (reader: Reader, accountId: number): Promise<number> =>
  (await reader.one(count, { accountId }))?.count ?? 0

/** JSON array of the slugs that the rules of the caller's token allow to read; undefined for all. */
const slugsOf = ({ rules }: Account): string | undefined => {
  const slugs = readableNames(rules, 'deployment')
  return slugs && JSON.stringify(slugs)
}

export type DeploymentListStore = ReturnType<typeof deploymentListStore>

/** Lists of the deployments of an account. */
export function deploymentListStore(db: Database) {
  const oneEachTurn = turns()
  return {
    /** Those that the caller may read, newest first. One page in each turn of the event loop: a page of 1,000 takes milliseconds. */
    list: (account: Account, { limit, before }: PageKey): Promise<Page<DeploymentWithHealth>> =>
      oneEachTurn(async () => {
        const slugs = slugsOf(account)
        const wanted = { accountId: account.id, before, rows: limit + 1 }
        const rows = await (slugs === undefined ? db.all(page, wanted) : db.all(pageOfSlugs, { ...wanted, slugs }))
        return cutPage(
          rows.map(({ enabled, failingCount, failingSince, ...row }) => ({
            ...row,
            isEnabled: enabled === 1,
            failing: toFailing({ failingCount, failingSince }),
          })),
          limit,
        )
      }),

    /** Of the deployments that `list` has. */
    count: async (account: Account): Promise<number> => {
      const [slugs, accountId] = [slugsOf(account), account.id]
      if (slugs === undefined) return countDeployments(db, accountId)
      return (await db.one(countOfSlugs, { accountId, slugs }))?.count ?? 0
    },
  }
}
