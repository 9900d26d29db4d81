import { badRequestSentence } from '@svc/contract/errors'
import type { DeploymentKind } from '@svc/contract/limits'
import { lockAccount } from '../../db/account-lock-store.js'
import { noteChange } from '../../db/change-clock-store.js'
import type { Database, Reader, Transaction } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import { unit } from '../../db/unit.js'
import { limitOf } from '../../shared/account-limits.js'
import type { Account } from '../../shared/account.js'
import type { Actor } from '../../shared/actor.js'
import { requireOwner } from '../../shared/require-owner.js'
import type { DayRange } from '../../shared/days.js'
import { deploymentColumns, toDeployment, type Deployment, type GivenTerms, type Terms } from './deployment.js'
import { eventFieldsOf, recordChange, recordDeploymentEvent } from './events.js'
import { checkTerms } from './kinds.js'
import { countDeployments } from './list-store.js'
import { forgetLater } from './removal-store.js'
import { reserveSlug } from './slug-store.js'
import { readDays, readHours, removeUseCounts, type HourCounts } from './use-count-store.js'
import { redirectDeliveries } from './webhooks/delivery-store.js'

interface NewDeployment extends Terms {
  readonly kind: DeploymentKind
  readonly slug: string
  readonly isEnabled: boolean
}

const byId = prepared((db, p: { id: number }) =>
  db.selectFrom('deployment').where('id', '=', p.id).select(deploymentColumns),
)

/** Locked until the transaction ends. SQLite has one writer at a time and no row locks. */
const lockedById = prepared((db, p: { id: number }, dialect) =>
  db
    .selectFrom('deployment')
    .where('id', '=', p.id)
    .select(deploymentColumns)
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

const insert = prepared(
  (db, p: Omit<NewDeployment, 'isEnabled'> & { accountId: number; enabled: number; now: number }) =>
    db
      .insertInto('deployment')
      .values({
        account_id: p.accountId,
        kind: p.kind,
        slug: p.slug,
        target: p.target,
        enabled: p.enabled,
        uses: 0,
        kept: 0,
        settings: p.settings,
        secret: p.secret,
        expires_at: p.expiresAt,
        max_uses: p.maxUses,
        created_at: p.now,
        updated_at: p.now,
      })
      .onConflict((conflict) => conflict.columns(['kind', 'slug']).doNothing())
      .returning(deploymentColumns),
)

const update = prepared((db, p: Terms & { id: number; now: number }) =>
  db
    .updateTable('deployment')
    .set({
      target: p.target,
      settings: p.settings,
      secret: p.secret,
      expires_at: p.expiresAt,
      max_uses: p.maxUses,
      updated_at: p.now,
    })
    .where('id', '=', p.id)
    .returning(deploymentColumns),
)

const toggle = prepared((db, p: { id: number; enabled: number; now: number }) =>
  db
    .updateTable('deployment')
    .set({ enabled: p.enabled, updated_at: p.now })
    .where('id', '=', p.id)
    .returning(deploymentColumns),
)

const remove = prepared((db, p: { id: number }) => db.deleteFrom('deployment').where('id', '=', p.id))

/** A deployment of the account. @throws ApiError `not_found`; `forbidden` for one of another account */
export async function requireOwnDeployment(reader: Reader, accountId: number, id: number): Promise<Deployment> {
  const row = await reader.one(byId, { id })
  requireOwner(row, accountId, 'deployment', id)
  return toDeployment(row)
}

/** The same, locked until the transaction ends. */
export async function lockOwnDeployment(tx: Transaction, accountId: number, id: number): Promise<Deployment> {
  const row = await tx.one(lockedById, { id })
  requireOwner(row, accountId, 'deployment', id)
  return toDeployment(row)
}

/** The lock key of units that lock an account to count its deployments (see `Unit.lockKey`). */
const accountLockKey = (accountId: number): string => `deployments of ${String(accountId)}`

/** The lock key of units that lock one deployment (see `Unit.lockKey`). */
const deploymentLockKey = (_accountId: number, id: number): string => `deployment ${String(id)}`

const createDeployment = unit(
  import.meta,
  'createDeployment',
  accountLockKey,
  async (tx, accountId: number, { isEnabled, ...given }: NewDeployment, max: number, now: number, actor: Actor) => {
    lockAccount(tx, accountId)
    const existing = await countDeployments(tx, accountId)
    if (max > 0 && existing >= max)
      throw badRequestSentence(
        'kind',
        `The account has ${String(existing)} deployments and may have ${String(max)}: delete one first`,
      )
    if (!(await reserveSlug(tx, { accountId, kind: given.kind, slug: given.slug }, max))) return undefined
    const row = await tx.one(insert, { ...given, accountId, enabled: Number(isEnabled), now })
    if (!row) return undefined
    const created = toDeployment(row)
    const after = eventFieldsOf(created)
    recordDeploymentEvent(tx, created, { at: now, action: 'deployment_create', actor, after })
    return created
  },
)

const changeDeployment = unit(
  import.meta,
  'changeDeployment',
  deploymentLockKey,
  async (tx, accountId: number, id: number, given: GivenTerms, now: number, actor: Actor) => {
    const before = await lockOwnDeployment(tx, accountId, id)
    const terms = checkTerms[before.kind](given, before)
    if (before.kind === 'webhook' && terms.target !== null && terms.target !== before.target)
      redirectDeliveries(tx, id, terms.target)
    const changed = toDeployment(await tx.only(update, { ...terms, id, now }))
    noteChange(tx, 'deployments')
    recordChange(tx, before, changed, actor)
    return changed
  },
)

const toggleDeployment = unit(
  import.meta,
  'toggleDeployment',
  deploymentLockKey,
  async (tx, accountId: number, id: number, isEnabled: boolean | undefined, now: number, actor: Actor) => {
    const before = await lockOwnDeployment(tx, accountId, id)
    const enabled = Number(isEnabled ?? !before.isEnabled)
    const toggled = toDeployment(await tx.only(toggle, { id, enabled, now }))
    noteChange(tx, 'deployments')
    recordChange(tx, before, toggled, actor)
    return toggled
  },
)

const removeDeployment = unit(
  import.meta,
  'removeDeployment',
  deploymentLockKey,
  async (tx, accountId: number, id: number, at: number, actor: Actor) => {
    const removed = await lockOwnDeployment(tx, accountId, id)
    removeUseCounts(tx, [id])
    tx.send(remove, { id })
    forgetLater(tx, id)
    noteChange(tx, 'deployments')
    const before = eventFieldsOf(removed)
    recordDeploymentEvent(tx, removed, { at, action: 'deployment_delete', actor, before })
  },
)

export type DeploymentStore = ReturnType<typeof deploymentStore>

/**
 * Deployments of an account.
 * @param max the setting; 0 for no limit
 * @param onChange called after a change has been committed
 */
export function deploymentStore(db: Database, max: number, onChange: () => void) {
  const noticed = async <R>(change: Promise<R>): Promise<R> => change.finally(onChange)
  return {
    /** The slug of a deployment of the account, which never changes; undefined for another id. */
    slugOf: async (account: Account, id: number): Promise<string | undefined> => {
      const row = await db.one(byId, { id })
      return row?.account_id === account.id ? row.slug : undefined
    },

    /** @throws ApiError `not_found`; `forbidden` for a deployment of another account */
    get: (account: Account, id: number): Promise<Deployment> => requireOwnDeployment(db, account.id, id),

    /** Its counts on each of these days, the oldest day first. @throws as `get` */
    async usesByDay(account: Account, id: number, days: DayRange) {
      await requireOwnDeployment(db, account.id, id)
      return readDays(db, id, days)
    },

    /** Its counts in the last 24 hours, the oldest hour first. @throws as `get` */
    async usesByHour(account: Account, id: number): Promise<HourCounts[]> {
      await requireOwnDeployment(db, account.id, id)
      return readHours(db, id, Date.now())
    },

    /** @returns undefined if the slug is taken @throws ApiError `bad_request` beyond the limit */
    create: (account: Account, deployment: NewDeployment): Promise<Deployment | undefined> =>
      db.write(
        createDeployment,
        account.id,
        deployment,
        limitOf(account, 'deployments', max),
        Date.now(),
        account.actor,
      ),

    /** @throws ApiError `not_found`, `forbidden`; `bad_request` for a value that is not accepted */
    change: (account: Account, id: number, given: GivenTerms): Promise<Deployment> =>
      noticed(db.write(changeDeployment, account.id, id, given, Date.now(), account.actor)),

    /** @param isEnabled the opposite of the current state if undefined @throws ApiError `not_found`, `forbidden` */
    toggle: (account: Account, id: number, isEnabled: boolean | undefined): Promise<Deployment> =>
      noticed(db.write(toggleDeployment, account.id, id, isEnabled, Date.now(), account.actor)),

    /** Its submissions and requests are removed in the background. @throws ApiError `not_found`, `forbidden` */
    remove: (account: Account, id: number): Promise<void> =>
      noticed(db.write(removeDeployment, account.id, id, Date.now(), account.actor)),
  }
}
