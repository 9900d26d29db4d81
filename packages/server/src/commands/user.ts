import { randomBytes } from 'node:crypto'
import { accountStore } from '../areas/account/accounts/store.js'
import { userToJson } from '../areas/account/accounts/presenter.js'
import { hashPassword } from '../areas/account/accounts/passwords.js'
import { signInStore } from '../areas/account/sign-in/store.js'
import type { DatabaseConfig } from '../db/connect.js'
import { OperatorError } from '../shared/operator-error.js'
import type { Account } from '../shared/account.js'
import { operatorActor } from '../shared/actor.js'
import { actingBy, withAccount } from './accounts.js'
import { checkEmail, nickname, password } from './input.js'
import { showOrUndo } from './show-or-undo.js'
import { userListStore, type AccountUsage, type ListedAccount } from './user-list-store.js'
import { withDatabase, withExistingDatabase } from './with-database.js'

export { userToJson }
export { usedResources } from './user-list-store.js'

/** An account, and its password if svc generated it: shown once, stored only as a hash. */
export interface WithPassword {
  readonly account: Account
  readonly madePassword: string | undefined
}

/**
 * `svc user add`: creates an account, with a generated password if none is given.
 * @param show prints the result; if it fails and a password was generated, the account is removed again
 */
export async function addUser(
  config: DatabaseConfig,
  given: { readonly email: string; readonly nickname: string; readonly password: string | undefined },
  show: (created: WithPassword) => Promise<void>,
): Promise<void> {
  const email = checkEmail(given.email)
  const shownName = nickname(given.nickname)
  const { passwordHash, madePassword } = await hashed(given.password)
  await withDatabase(config, async (db) => {
    const accounts = accountStore(db)
    const actor = operatorActor('svc user add')
    const account = await accounts.add({ email, nickname: shownName, passwordHash, now: Date.now(), actor })
    const showCreated = () => show({ account, madePassword })
    if (madePassword === undefined) await showCreated()
    else await showOrUndo(showCreated, () => accounts.removeAdded(account), `the account ${email} is removed again`)
  })
}

/**
 * `svc user list`.
 * @param withUsage whether the use of each account is counted
 * @param print gets all accounts, oldest first, a page at a time
 */
export const listUsers = (
  config: DatabaseConfig,
  withUsage: boolean,
  print: (pages: AsyncIterable<readonly Listed[]>) => Promise<void>,
): Promise<void> => withExistingDatabase(config, (db) => print(userListStore(db).list(withUsage)))

type Listed = ListedAccount & { readonly usage?: AccountUsage }

/** An account in the list of the operator. */
export const listedToJson = ({ state, plan, usage, ...account }: Listed) => ({
  ...userToJson(account),
  state,
  plan,
  ...(usage && { usage }),
})

/**
 * `svc user password`: sets another password, ends the account's browser sessions and clears its waits after failed sign-ins; its tokens stay.
 * @param show prints the result before the password is changed: if it fails, the old one stays
 */
export async function resetPassword(
  config: DatabaseConfig,
  email: string,
  given: string | undefined,
  show: (set: WithPassword) => Promise<void>,
): Promise<void> {
  const { passwordHash, madePassword } = await hashed(given)
  await withAccount(config, email, async (account, db) => {
    const stays = `the password of ${email} is unchanged`
    await showOrUndo(
      () => show({ account, madePassword }),
      () => Promise.resolve(),
      stays,
    )
    await accountStore(db)
      .setPassword(actingBy(account, 'svc user password'), passwordHash)
      .catch((cause: unknown) => {
        if (madePassword === undefined) throw cause
        throw new OperatorError(`The printed password was not set: ${(cause as Error).message}`, 1, { cause })
      })
  })
}

/** `svc user unlock`: clears the waits of an email after failed sign-ins. Those of networks stay. */
export const unlockUser = (config: DatabaseConfig, email: string): Promise<Account> =>
  withAccount(config, email, async (account, db) => {
    await signInStore(db).unlock(account.email)
    return account
  })

async function hashed(given: string | undefined) {
  const madePassword = given === undefined ? newPassword() : undefined
  return { passwordHash: await hashPassword(password(given ?? madePassword ?? '')), madePassword }
}

/** About 140 random bits in 24 characters. The first one is a letter, so that no command takes the password for an option. */
function newPassword(): string {
  for (;;) {
    const password = randomBytes(18).toString('base64url')
    if (/^[A-Za-z]/.test(password)) return password
  }
}
