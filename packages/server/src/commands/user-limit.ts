import { checkPlanName } from '../areas/account/accounts/plan-name.js'
import type { DatabaseConfig } from '../db/connect.js'
import type { AccountLimits } from '../shared/account-limits.js'
import { OperatorError } from '../shared/operator-error.js'
import { actingBy, withAccount } from './accounts.js'
import { inTermsOf } from './input.js'
import { limitChanges } from './limit-arguments.js'
import { limitsStore, type Plan } from './limits-store.js'
import { withExistingDatabase } from './with-database.js'

export type { Plan } from './limits-store.js'

/** The limits of an account that differ from the settings. */
export interface ShownLimits {
  readonly email: string
  readonly plan: string | null
  /** Those that apply, with those of the plan. */
  readonly limits: AccountLimits
  /** Those of the account alone: they override the plan. */
  readonly own: AccountLimits
}

/**
 * `svc user limit`: changes the limits of an account, and shows them. They apply from its next request on.
 * @param given such as `zones=50`, `files=10GB` or `zones=default`
 * @param plan the name of a plan, or `none`; undefined for no change
 */
export async function limitUser(
  config: DatabaseConfig,
  email: string,
  given: readonly string[],
  plan: string | undefined,
): Promise<ShownLimits> {
  const changes = limitChanges(given)
  const newPlan = plan === 'none' ? null : plan && planName(plan, '--plan')
  return withAccount(config, email, async (account, db) => {
    const limits = limitsStore(db)
    if (given.length > 0 || newPlan !== undefined)
      await limits.limit(actingBy(account, 'svc user limit'), changes, newPlan)
    return { email: account.email, ...(await limits.of(account.id)) }
  })
}

/** `svc plan list`, by name. */
export const listPlans = (config: DatabaseConfig): Promise<Plan[]> =>
  withExistingDatabase(config, (db) => limitsStore(db).plans())

/** `svc plan set`: creates a plan, or changes limits of one, for all its accounts. @returns its limits */
export async function setPlan(config: DatabaseConfig, name: string, given: readonly string[]): Promise<AccountLimits> {
  const changes = limitChanges(given)
  const checked = planName(name, 'NAME')
  if (checked === 'none') throw new OperatorError('NAME must not be none, which stands for no plan.', 2)
  return withExistingDatabase(config, (db) => limitsStore(db).setPlan(checked, changes))
}

/** `svc plan delete`. @throws OperatorError for a plan that accounts have */
export const deletePlan = (config: DatabaseConfig, name: string): Promise<void> =>
  withExistingDatabase(config, (db) => limitsStore(db).deletePlan(planName(name, 'NAME')))

function planName(name: string, argument: string): string {
  try {
    return checkPlanName(name)
  } catch (error) {
    throw inTermsOf(argument, error, 2)
  }
}
