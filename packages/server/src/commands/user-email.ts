import { accountStore } from '../areas/account/accounts/store.js'
import type { DatabaseConfig } from '../db/connect.js'
import type { Account } from '../shared/account.js'
import { actingBy, withAccount } from './accounts.js'
import { checkEmail } from './input.js'

/**
 * `svc user email`: changes the email of an account. Its password, sessions and tokens stay.
 * @throws ApiError `bad_request` if the new email already has an account
 */
export async function changeEmail(config: DatabaseConfig, from: string, to: string): Promise<Account> {
  const email = checkEmail(to)
  return withAccount(config, from, async (account, db) => {
    await accountStore(db).setEmail(actingBy(account, 'svc user email'), email)
    return { ...account, email }
  })
}
