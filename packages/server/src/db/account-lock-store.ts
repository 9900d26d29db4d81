import { prepared } from './prepared.js'
import type { Transaction } from './transaction.js'

/** Foreign keys may refer to the account meanwhile. SQLite has one writer at a time and no row locks. */
const lock = prepared((db, p: { accountId: number }, dialect) =>
  db
    .selectFrom('account')
    .where('id', '=', p.accountId)
    .select('id')
    .$if(dialect === 'postgres', (query) => query.forNoKeyUpdate()),
)

/** Locks an account until the transaction ends: what it has is counted and created one after another, in all processes. */
export function lockAccount(tx: Transaction, accountId: number): void {
  tx.send(lock, { accountId })
}
