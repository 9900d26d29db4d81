import { sql } from 'kysely'
import { noLimits, type AccountLimits } from '../shared/account-limits.js'

/** The limits of an account as a query reads them from the table `account`. */
export interface LimitsRow {
  /** JSON. */
  readonly limits: string
  /** JSON; null for an account without a plan. */
  readonly plan_limits: string | null
}

/** Served by the primary key of account_plan. Costs nothing for an account without a plan. */
const planLimits = sql<string | null>`(select account_plan.limits from account_plan
  where account_plan.name = account.plan)`.as('plan_limits')

/** The columns that `toLimits` reads, of a query with the table `account`. */
export const limitsColumns = ['account.limits', planLimits] as const

/** The same for a query of another table. @param account the column with the id of the account, such as `sms_inbox.account_id` */
export const limitsOfAccount = (account: string) => {
  const isOwner = sql`account.id = ${sql.ref(account)}`
  return [
    sql<string>`(select account.limits from account where ${isOwner})`.as('limits'),
    sql<string | null>`(select account_plan.limits from account
      join account_plan on account_plan.name = account.plan where ${isOwner})`.as('plan_limits'),
  ] as const
}

/** The limits of an account override those of its plan. */
export function toLimits({ limits, plan_limits: ofPlan }: LimitsRow): AccountLimits {
  if (limits === '{}' && ofPlan === null) return noLimits
  return { ...(JSON.parse(ofPlan ?? '{}') as AccountLimits), ...(JSON.parse(limits) as AccountLimits) }
}
