import { randomBytes } from 'node:crypto'
import { accountStore } from '../areas/account/accounts/store.js'
import { hashPassword } from '../areas/account/accounts/passwords.js'
import type { DatabaseConfig } from '../db/connect.js'
import type { Account } from '../shared/account.js'
import { withAccount } from './accounts.js'
import { checkEmail, nickname, password } from './input.js'
import { withDatabase, withExistingDatabase } from './with-database.js'

export { userToJson } from '../areas/account/accounts/presenter.js'

/** An account, and its password if svc generated it: shown once, stored only as a hash. */
export interface WithPassword {
  readonly account: Account
  readonly madePassword: string | undefined
}

/** `svc user add`: creates an account, with a generated password if none is given. */
export async function addUser(
  config: DatabaseConfig,
  given: { readonly email: string; readonly nickname: string; readonly password: string | undefined },
): Promise<WithPassword> {
  const email = checkEmail(given.email)
  const shownName = nickname(given.nickname)
  const { passwordHash, madePassword } = await hashed(given.password)
  const account = await withDatabase(config, (db) =>
    accountStore(db).add({ email, nickname: shownName, passwordHash, now: Date.now() }),
  )
  return { account, madePassword }
}

/** `svc user list`: oldest first. */
export const listUsers = (config: DatabaseConfig): Promise<Account[]> =>
  withExistingDatabase(config, (db) => accountStore(db).list())

/** `svc user password`: sets another password and ends the account's browser sessions; its tokens stay. */
export async function resetPassword(
  config: DatabaseConfig,
  email: string,
  given: string | undefined,
): Promise<WithPassword> {
  const { passwordHash, madePassword } = await hashed(given)
  return withAccount(config, email, async (account, db) => {
    await accountStore(db).setPassword(account, passwordHash)
    return { account, madePassword }
  })
}

async function hashed(given: string | undefined) {
  // 144 bits in 24 characters.
  const madePassword = given === undefined ? randomBytes(18).toString('base64url') : undefined
  return { passwordHash: await hashPassword(password(given ?? madePassword ?? '')), madePassword }
}
