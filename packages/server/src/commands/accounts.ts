import { accountStore, type KnownAccount } from '../areas/account/accounts/store.js'
import { describeDatabase } from '../config/database.js'
import type { DatabaseConfig } from '../db/connect.js'
import type { Database } from '../db/port.js'
import type { Account } from '../shared/account.js'
import { operatorActor } from '../shared/actor.js'
import { OperatorError } from '../shared/operator-error.js'
import { checkEmail } from './input.js'
import { withExistingDatabase } from './with-database.js'

/** The account with a command as its actor, for the history of what the command changes. */
export const actingBy = <A extends object>(account: A, command: string): A & Pick<Account, 'actor'> => ({
  ...account,
  actor: operatorActor(command),
})

/** Runs `act` with the account of an email address. @throws OperatorError if it has no account */
export async function withAccount<R>(
  config: DatabaseConfig,
  email: string,
  act: (account: KnownAccount, db: Database) => Promise<R>,
): Promise<R> {
  const checked = checkEmail(email)
  return withExistingDatabase(config, async (db) => {
    const account = await accountStore(db).byEmail(checked)
    if (account !== undefined) return act(account, db)
    throw new OperatorError(`There is no account ${checked} in ${describeDatabase(config)}; svc user list shows all.`)
  })
}
