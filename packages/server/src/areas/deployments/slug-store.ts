import type { DeploymentKind } from '@svc/contract'
import { badRequestSentence } from '@svc/contract/errors'
import { sql } from 'kysely'
import type { Transaction } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import { unit } from '../../db/unit.js'

/** Slugs belong to the account that used them first, also after a deletion: their senders may go on sending. */

/** Deleted deployments keep their slugs: with them, there may be this many times the limit of deployments. */
const withDeletedFactor = 10

interface Slug {
  readonly accountId: number
  readonly kind: DeploymentKind
  readonly slug: string
}

/** Locks the slug until the transaction ends. @returns its account: that of another account, or null, if it is taken */
const reserve = prepared((db, p: Slug) =>
  db
    .insertInto('deployment_slug')
    .values({ kind: p.kind, slug: p.slug, account_id: p.accountId })
    .onConflict((conflict) =>
      conflict.columns(['kind', 'slug']).doUpdateSet((row) => ({ account_id: row.ref('deployment_slug.account_id') })),
    )
    .returning('account_id as accountId'),
)

/** Served by deployment_slug_by_account (account_id). */
const count = prepared((db, p: { accountId: number }) =>
  db
    .selectFrom('deployment_slug')
    .where('account_id', '=', p.accountId)
    .select((row) => row.fn.countAll<number>().as('count')),
)

/** Served by deployment_by_account (account_id, id). */
const reserveExisting = prepared((db, p: { accountId: number }) =>
  db
    .insertInto('deployment_slug')
    .columns(['kind', 'slug', 'account_id'])
    .expression((from) =>
      from.selectFrom('deployment').where('account_id', '=', p.accountId).select(['kind', 'slug', 'account_id']),
    )
    .onConflict((conflict) => conflict.columns(['kind', 'slug']).doNothing()),
)

const retiredAtOnce = 500

/** Served by deployment_slug_by_account (account_id) and the primary key. */
const retire = prepared((db, p: { accountId: number }) =>
  db
    .updateTable('deployment_slug')
    .set({ account_id: null })
    .where(
      sql<boolean>`(kind, slug) in (select kind, slug from deployment_slug where account_id = ${p.accountId} limit ${sql.lit(retiredAtOnce)})`,
    ),
)

/**
 * Reserves a slug of a kind for an account, in the transaction that creates the deployment.
 * @param max the most deployments of the account; 0 for no limit
 * @returns false if another account has or had it @throws ApiError `bad_request` for an account that may use no further slug
 */
export async function reserveSlug(tx: Transaction, slug: Slug, max: number): Promise<boolean> {
  if ((await tx.only(reserve, slug)).accountId !== slug.accountId) return false
  const { count: used } = await tx.only(count, slug)
  const usedMax = max * withDeletedFactor
  if (max > 0 && used > usedMax)
    throw badRequestSentence(
      'slug',
      `The account has used ${String(usedMax)} slugs, those of deleted deployments included, which is the most: use one of them again`,
    )
  return true
}

/** Reserves the slugs of all deployments of an account, in the transaction that imports it. */
export const reserveExistingSlugs = (tx: Transaction, accountId: number): void => {
  tx.send(reserveExisting, { accountId })
}

/** Keeps slugs of an account that is being deleted, without the account. @returns whether more may be left */
export const retireSomeSlugs = unit(
  import.meta,
  'retireSlugsOfAccount',
  async (tx, accountId: number) => (await tx.run(retire, { accountId })) > 0,
)
