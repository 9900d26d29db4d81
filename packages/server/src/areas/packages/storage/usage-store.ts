import { sql } from 'kysely'
import type { Database, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Account } from '../../../shared/account.js'

/**
 * What an account uses of its limits. Every unit of work that changes this locks, in this order: this row of its account, the row of
 * a package, then those of objects. So the limits hold between processes, and no two units wait for each other.
 */
export interface Usage {
  readonly packages: number
  /** Of packages, deleted ones included. */
  readonly slugs: number
  readonly artifacts: number
  /** Of all artifacts. */
  readonly bytes: number
}

const columns = ['packages', 'slugs', 'artifacts', 'bytes'] as const

const none: Usage = { packages: 0, slugs: 0, artifacts: 0, bytes: 0 }

/** Creates the row if it is missing, and locks it until the transaction ends. */
const lock = prepared((db, p: { accountId: number }) =>
  db
    .insertInto('package_use')
    .values({ account_id: p.accountId, ...none })
    .onConflict((conflict) =>
      conflict.column('account_id').doUpdateSet((row) => ({ packages: row.ref('package_use.packages') })),
    )
    .returning(columns),
)

const add = prepared((db, p: Usage & { accountId: number }) =>
  db
    .updateTable('package_use')
    .set((row) => ({
      packages: row('packages', '+', p.packages),
      slugs: row('slugs', '+', p.slugs),
      artifacts: row('artifacts', '+', p.artifacts),
      bytes: row('bytes', '+', p.bytes),
    }))
    .where('account_id', '=', p.accountId),
)

const ofAccount = prepared((db, p: { accountId: number }) =>
  db.selectFrom('package_use').where('account_id', '=', p.accountId).select(columns),
)

/** The lock key of units that lock the row of the account (see `Unit.lockKey`). */
export const accountLockKey = (accountId: number): string => `packages of ${accountId}`

/** Locks what the account uses until the transaction ends. */
export const lockUsage = (tx: Transaction, accountId: number): Promise<Usage> => tx.only(lock, { accountId })

/** Adds to what the account uses. */
export function addUsage(tx: Transaction, accountId: number, growth: Usage): void {
  tx.send(add, { accountId, ...growth })
}

export const usageStore = (db: Database) => ({
  of: async (account: Account): Promise<Usage> => (await db.one(ofAccount, { accountId: account.id })) ?? none,
})

/** What an imported account uses. Served by package_by_account (account_id), and by the indexes of the parents. */
export const countStorage = prepared((db, p: { accountId: number }) => ({
  compile: () =>
    sql<never>`insert into package_use (account_id, packages, slugs, artifacts, bytes)
      select cast(${p.accountId} as bigint),
        (select count(*) from package where account_id = ${p.accountId} and deleted_at is null),
        (select count(*) from package where account_id = ${p.accountId}),
        count(*), cast(coalesce(sum(size), 0) as bigint)
      from package_artifact where version_id in (select id from package_version
        where package_id in (select id from package where account_id = ${p.accountId}))`.compile(db),
}))
