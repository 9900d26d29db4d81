import { sql } from 'kysely'
import { lockAccount } from '../../../db/account-lock-store.js'
import { limitsColumns, toLimits } from '../../../db/account-limits.js'
import type { Database, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { limitOf } from '../../../shared/account-limits.js'
import type { DueCertificate } from './lease-store.js'
import { dayMs, overLimit, weekMs, type Exceeded, type NewOrderLimits, type OrderLimits } from './order-limits.js'

/** Counts the orders for accounts. Orders of all processes are counted one after another, so that no limit is exceeded. System store. */

interface NewOrder {
  readonly accountId: number
  /** The registrable domain: a zone of an account is one. */
  readonly domain: string
}

interface Window extends NewOrder {
  readonly since: number
  /** The limit less one. */
  readonly before: number
}

/** Locks the domain until the transaction ends. A no-op on SQLite, which has one writer at a time. */
const lockDomain = prepared((db, p: { domain: string }, dialect) =>
  db.selectNoFrom(
    (dialect === 'postgres'
      ? sql`pg_advisory_xact_lock(hashtextextended('certificate order ' || cast(${p.domain} as text), 0))`
      : sql`1`
    ).as('held'),
  ),
)

/** Served by the primary key. */
const ownLimits = prepared((db, p: { accountId: number }) =>
  db.selectFrom('account').where('id', '=', p.accountId).select(limitsColumns),
)

/** Those that the account has had longer. Served by certificate_of_account. */
const earlier = prepared((db, p: { accountId: number; id: number }) =>
  db
    .selectFrom('certificate')
    .where('account_id', '=', p.accountId)
    .where('wanted', '=', 1)
    .where('id', '<', p.id)
    .select((row) => row.fn.countAll<number>().as('certificates')),
)

/** The order that must leave the window before the next one. Served by certificate_order_by_account. */
const ofAccount = prepared((db, p: Window) =>
  db
    .selectFrom('certificate_order')
    .where('account_id', '=', p.accountId)
    .where('ordered_at', '>', p.since)
    .select('ordered_at as orderedAt')
    .orderBy('ordered_at', 'desc')
    .limit(1)
    .offset(p.before),
)

/** The same of the domain, whoever has ordered. Served by certificate_order_by_domain. */
const ofDomain = prepared((db, p: Window) =>
  db
    .selectFrom('certificate_order')
    .where('domain', '=', p.domain)
    .where('ordered_at', '>', p.since)
    .where('failed', '=', 0)
    .select('ordered_at as orderedAt')
    .orderBy('ordered_at', 'desc')
    .limit(1)
    .offset(p.before),
)

/** Served by certificate_order_by_account. */
const removeOld = prepared((db, p: { accountId: number; before: number }) =>
  db.deleteFrom('certificate_order').where('account_id', '=', p.accountId).where('ordered_at', '<=', p.before),
)

const insert = prepared((db, p: NewOrder & { now: number }) =>
  db
    .insertInto('certificate_order')
    .values({ account_id: p.accountId, domain: p.domain, ordered_at: p.now })
    .returning('id'),
)

const setFailed = prepared((db, p: { id: number }) =>
  db.updateTable('certificate_order').set({ failed: 1 }).where('id', '=', p.id),
)

/** The lock key of units that count orders (see `Unit.lockKey`). */
const lockKey = ({ domain }: NewOrder): string => `certificate orders of ${domain}`

/**
 * Counts an order in a transaction, unless it is beyond a limit.
 * @returns the id of the order
 */
export async function reserveInTransaction(
  tx: Transaction,
  { accountId, domain }: NewOrder,
  { accountOrders, domainOrders }: NewOrderLimits,
  now: number,
): Promise<number | Exceeded> {
  lockAccount(tx, accountId)
  tx.send(lockDomain, { domain })
  tx.send(removeOld, { accountId, before: now - weekMs })
  const order = { accountId, domain }
  const ofDay = await tx.one(ofAccount, { ...order, since: now - dayMs, before: accountOrders - 1 })
  if (ofDay !== undefined) return { limit: 'accountOrders', max: accountOrders, freeAt: ofDay.orderedAt + dayMs }
  const ofWeek = await tx.one(ofDomain, { ...order, since: now - weekMs, before: domainOrders - 1 })
  if (ofWeek !== undefined)
    return { limit: 'domainOrders', max: domainOrders, freeAt: ofWeek.orderedAt + weekMs, domain }
  return (await tx.only(insert, { ...order, now })).id
}

const reserveOrder = unit(
  import.meta,
  'reserveOrder',
  lockKey,
  async (tx, order: NewOrder, id: number, limits: OrderLimits, now: number): Promise<number | Exceeded> => {
    const { accountId } = order
    lockAccount(tx, accountId)
    const row = await tx.one(ownLimits, { accountId })
    const max = limitOf({ limits: row === undefined ? {} : toLimits(row) }, 'tls_certificates', limits.certificates)
    if ((await tx.only(earlier, { accountId, id })).certificates >= max) return { limit: 'certificates', max }
    return reserveInTransaction(tx, order, limits, now)
  },
)

const failOrder = unit(import.meta, 'failOrder', async (tx, id: number) => {
  tx.send(setFailed, { id })
})

export type OrderLimitStore = ReturnType<typeof orderLimitStore>

export const orderLimitStore = (db: Database, limits: OrderLimits) => ({
  /**
   * Counts an order for a new certificate. Renewals, which CAs do not count (RFC 9773, section 5), and the server's own are not counted.
   * @returns the id of the order; undefined for one that is not counted
   * @throws OverLimit
   */
  async reserve(
    { id, accountId, zone, chain }: Pick<DueCertificate, 'id' | 'accountId' | 'zone' | 'chain'>,
    now: number,
  ): Promise<number | undefined> {
    if (accountId === null || zone === null || chain !== null) return undefined
    const reserved = await db.write(reserveOrder, { accountId, domain: zone }, id, limits, now)
    if (typeof reserved === 'number') return reserved
    throw overLimit(reserved, now)
  },

  /** Notes that an order has brought no certificate. */
  fail: (id: number): Promise<void> => db.write(failOrder, id),
})
