import { sql } from 'kysely'
import type { Database, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Account } from '../../../shared/account.js'

/**
 * What an account uses of its limits. Every unit of work of this area locks, in this order: this row of its account, the rows of
 * uploads and files, then those of objects (`writer-store.ts`). So the limits hold between processes, and no two units wait for
 * each other.
 */
export interface Usage {
  readonly files: number
  /** Files with a share link. */
  readonly shared: number
  /** Of files and of open uploads. */
  readonly bytes: number
  /** Open uploads. */
  readonly uploads: number
  /** Objects of files and of open uploads; an empty file counts as one. */
  readonly objects: number
}

const columns = ['files', 'shared', 'bytes', 'uploads', 'objects'] as const

const none: Usage = { files: 0, shared: 0, bytes: 0, uploads: 0, objects: 0 }

/** Creates the row if it is missing, and locks it until the transaction ends. */
const lock = prepared((db, p: { accountId: number }) =>
  db
    .insertInto('storage_use')
    .values({ account_id: p.accountId, ...none })
    .onConflict((conflict) =>
      conflict.column('account_id').doUpdateSet((row) => ({ files: row.ref('storage_use.files') })),
    )
    .returning(columns),
)

const add = prepared((db, p: Usage & { accountId: number }) =>
  db
    .updateTable('storage_use')
    .set((row) => ({
      files: row('files', '+', p.files),
      shared: row('shared', '+', p.shared),
      bytes: row('bytes', '+', p.bytes),
      uploads: row('uploads', '+', p.uploads),
      objects: row('objects', '+', p.objects),
    }))
    .where('account_id', '=', p.accountId),
)

const ofAccount = prepared((db, p: { accountId: number }) =>
  db.selectFrom('storage_use').where('account_id', '=', p.accountId).select(columns),
)

/** The lock key of units that lock the row of the account (see `Unit.lockKey`). */
export const accountLockKey = (accountId: number): string => `storage of ${accountId}`

/** Locks what the account uses until the transaction ends. */
export const lockUsage = (tx: Transaction, accountId: number): Promise<Usage> => tx.only(lock, { accountId })

/** Adds to what the account uses. Numbers that are not given do not change. */
export function addUsage(tx: Transaction, accountId: number, growth: Partial<Usage>): void {
  tx.send(add, { accountId, ...none, ...growth })
}

export const usageStore = (db: Database) => ({
  of: async (account: Account): Promise<Usage> => (await db.one(ofAccount, { accountId: account.id })) ?? none,
})

/**
 * What an imported account uses: its archive also counts open uploads, which it does not have. Served by file_by_account and the primary key of file_part. An empty or a small file has no parts, and counts as one object.
 */
export const countStorage = prepared((db, p: { accountId: number }) => ({
  compile: () =>
    sql<never>`insert into storage_use (account_id, files, shared, bytes, uploads, objects)
      select cast(${p.accountId} as bigint), count(*), count(share_key), cast(coalesce(sum(size), 0) as bigint), 0,
        cast(coalesce(sum(case when parts = 0 then 1 else parts end), 0) as bigint)
      from (select share_key, size, (select count(*) from file_part where file_id = file.id) as parts
        from file where account_id = ${p.accountId}) as stored`.compile(db),
}))
