import type { Database } from '../db/port.js'
import { prepared } from '../db/prepared.js'
import { unit } from '../db/unit.js'
import { changedFields, recordEvent, recordOperatorEvent, type EventFields } from '../journal/event-store.js'
import type { Account } from '../shared/account.js'
import { isLimits, limitNames, type AccountLimits, type LimitName } from '../shared/account-limits.js'
import { counted } from '../shared/counted.js'
import { OperatorError } from '../shared/operator-error.js'

/** Limits of accounts, and plans. Operator store. */

/** A named set of limits. */
export interface Plan {
  readonly name: string
  readonly limits: AccountLimits
  /** How many accounts have it. */
  readonly accounts: number
}

/** Changes of limits, by their names; null for the limit of the plan or the setting. */
export type LimitChanges = Readonly<Partial<Record<LimitName, number | null>>>

const ofAccount = prepared((db, p: { id: number }) =>
  db.selectFrom('account').where('id', '=', p.id).select(['limits', 'plan']),
)

/** Locked until the transaction ends. SQLite has one writer at a time. */
const lockedAccount = prepared((db, p: { id: number }, dialect) =>
  db
    .selectFrom('account')
    .where('id', '=', p.id)
    .select(['limits', 'plan'])
    .$if(dialect === 'postgres', (query) => query.forNoKeyUpdate()),
)

const setAccount = prepared((db, p: { id: number; limits: string; plan: string | null }) =>
  db.updateTable('account').set({ limits: p.limits, plan: p.plan }).where('id', '=', p.id),
)

/** Locked until the transaction ends: an account does not get a plan that is deleted at the same time. */
const lockedPlan = prepared((db, p: { name: string }, dialect) =>
  db
    .selectFrom('account_plan')
    .where('name', '=', p.name)
    .select('limits')
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

const planOf = prepared((db, p: { name: string }) =>
  db.selectFrom('account_plan').where('name', '=', p.name).select('limits'),
)

const upsertPlan = prepared((db, p: { name: string; limits: string; now: number }) =>
  db
    .insertInto('account_plan')
    .values({ name: p.name, limits: p.limits, created_at: p.now })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ limits: p.limits })),
)

const removePlan = prepared((db, p: { name: string }) => db.deleteFrom('account_plan').where('name', '=', p.name))

/** Served by account_by_plan (plan). */
const usersOfPlan = prepared((db, p: { name: string }) =>
  db
    .selectFrom('account')
    .where('plan', '=', p.name)
    .select((row) => row.fn.countAll<number>().as('accounts')),
)

/** Plans are few. Served by account_by_plan (plan). */
const plans = prepared((db, _: object) =>
  db
    .selectFrom('account_plan')
    .select(['name', 'limits'])
    .select((plan) =>
      plan
        .selectFrom('account')
        .whereRef('account.plan', '=', 'account_plan.name')
        .select((row) => row.fn.countAll<number>().as('accounts'))
        .as('accounts'),
    )
    .orderBy('name'),
)

/** In the order of `limitNames`, so that equal limits are equal texts. */
function changed(limits: AccountLimits, changes: LimitChanges): AccountLimits {
  const all: LimitChanges = { ...limits, ...changes }
  return Object.fromEntries(limitNames.flatMap((name) => (typeof all[name] === 'number' ? [[name, all[name]]] : [])))
}

function parse(json: string): AccountLimits {
  const limits: unknown = JSON.parse(json)
  if (!isLimits(limits)) throw new Error(`The database has limits that svc does not know: ${json}`)
  return limits
}

type Acting = Pick<Account, 'id' | 'actor'>

/** Limits as events have them, such as `zones=50`. */
const shown = (limits: AccountLimits): EventFields => ({
  limits: Object.entries(limits).map(([name, limit]) => `${name}=${limit}`),
})

/** @returns whether it was changed: false for an unknown plan */
const limitAccount = unit(
  import.meta,
  'limitAccount',
  async (tx, { id, actor }: Acting, changes: LimitChanges, plan: string | null | undefined) => {
    if (typeof plan === 'string' && (await tx.one(lockedPlan, { name: plan })) === undefined) return false
    const row = await tx.only(lockedAccount, { id })
    const before = parse(row.limits)
    const limits = changed(before, changes)
    const newPlan = plan === undefined ? row.plan : plan
    tx.send(setAccount, { id, limits: JSON.stringify(limits), plan: newPlan })
    const differs = changedFields({ plan: row.plan, ...shown(before) }, { plan: newPlan, ...shown(limits) })
    const event = { accountId: id, at: Date.now(), area: 'account', action: 'limits_change', object: '' } as const
    if (differs !== undefined) recordEvent(tx, { ...event, actor, ...differs })
    return true
  },
)

const setPlan = unit(import.meta, 'setPlan', async (tx, name: string, changes: LimitChanges, now: number) => {
  const row = await tx.one(lockedPlan, { name })
  const before = row === undefined ? {} : parse(row.limits)
  const limits = changed(before, changes)
  tx.send(upsertPlan, { name, limits: JSON.stringify(limits), now })
  const event = { at: now, command: 'svc plan set', object: name, accountId: null }
  recordOperatorEvent(tx, { ...event, ...(row && { before: shown(before) }), after: shown(limits) })
  return limits
})

/** @returns how many accounts have it, so that it stays; undefined for an unknown plan */
const deletePlan = unit(import.meta, 'deletePlan', async (tx, name: string) => {
  if ((await tx.one(lockedPlan, { name })) === undefined) return undefined
  const { accounts } = await tx.only(usersOfPlan, { name })
  if (accounts > 0) return accounts
  tx.send(removePlan, { name })
  recordOperatorEvent(tx, { at: Date.now(), command: 'svc plan delete', object: name, accountId: null })
  return accounts
})

const unknownPlan = (name: string) => new OperatorError(`There is no plan ${name}; svc plan list shows all.`)

export const limitsStore = (db: Database) => ({
  /** The limits of an account alone, its plan, and the limits that both together result in. */
  async of(id: number): Promise<{ own: AccountLimits; plan: string | null; limits: AccountLimits }> {
    const row = await db.one(ofAccount, { id })
    if (row === undefined) throw new OperatorError('The account has been deleted.')
    const plan = row.plan === null ? undefined : await db.one(planOf, { name: row.plan })
    const own = parse(row.limits)
    return { own, plan: row.plan, limits: changed(plan === undefined ? {} : parse(plan.limits), own) }
  },

  /**
   * Changes limits of an account. They apply from its next request on, in every process.
   * @param plan its name; null for none, undefined for no change
   * @throws OperatorError for an unknown plan
   */
  async limit({ id, actor }: Account, changes: LimitChanges, plan: string | null | undefined): Promise<void> {
    if (!(await db.write(limitAccount, { id, actor }, changes, plan))) throw unknownPlan(String(plan))
  },

  plans: async (): Promise<Plan[]> =>
    (await db.all(plans, {})).map(({ name, limits, accounts }) => ({
      name,
      limits: parse(limits),
      accounts: accounts ?? 0,
    })),

  /** Creates a plan, or changes limits of one: for all its accounts, from their next requests on. @returns its limits */
  setPlan: (name: string, changes: LimitChanges): Promise<AccountLimits> =>
    db.write(setPlan, name, changes, Date.now()),

  /** @throws OperatorError for an unknown plan, and one that accounts have */
  async deletePlan(name: string): Promise<void> {
    const accounts = await db.write(deletePlan, name)
    if (accounts === undefined) throw unknownPlan(name)
    if (accounts > 0)
      throw new OperatorError(
        `The plan ${name} is that of ${counted(accounts, 'account')}: give them another one with svc user limit EMAIL --plan.`,
      )
  },
})
