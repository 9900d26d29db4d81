import { sql, type RawBuilder } from 'kysely'
import { servedStates } from '../shared/account-state.js'

/**
 * The condition that what an account has is served to the public. Served by the primary key of account.
 * @param account the column with its id, such as `site.account_id`; rows without an account are served
 */
export const isServed = (account: string): RawBuilder<boolean> =>
  sql<boolean>`coalesce((select account.state from account where account.id = ${sql.ref(account)}), 'active')
    in (${sql.join(servedStates.map((state) => sql.lit(state)))})`
