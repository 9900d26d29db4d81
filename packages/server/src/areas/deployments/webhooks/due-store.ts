import { sql } from 'kysely'
import { numberList, textList } from '../../../db/json-list.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import {
  deliveryLimits,
  keysAtLimit,
  type DeliveriesUnderWay,
  type Delivery,
  type DueWebhook,
} from './delivery-limits.js'
import type { DueAccount, DueOfAccount } from './delivery-turns.js'

/** How many due deliveries are looked at for their hosts, so that a claim is short. */
const candidatesMax = 16

interface Due {
  readonly now: number
  /** JSON array of hosts at which no delivery can begin. */
  readonly hosts: string
  /** JSON array of accounts of which no delivery can begin. */
  readonly accounts: string
}

/**
 * Served by webhook_delivery_due (due_at, host, account_id). The order keeps PostgreSQL on this index: without it, a scan of the whole
 * table may look cheaper.
 */
const dueHosts = prepared((db, p: Due, dialect) =>
  db
    .selectFrom('webhook_delivery')
    .where('due_at', '<=', p.now)
    .where('host', 'not in', textList(p.hosts, dialect))
    .where('account_id', 'not in', numberList(p.accounts, dialect))
    .select('host')
    .orderBy('due_at')
    .limit(candidatesMax),
)

/** Served by webhook_delivery_turn (host, account_id, deployment_id, due_at). @param p.accounts JSON array of those left out */
const nextAccount = prepared((db, p: { host: string; after: number; now: number; accounts: string }, dialect) =>
  db
    .selectFrom('webhook_delivery')
    .where('host', '=', p.host)
    .where('account_id', '>', p.after)
    .where('due_at', '<=', p.now)
    .where('account_id', 'not in', numberList(p.accounts, dialect))
    .select('account_id as id')
    .orderBy('account_id')
    .limit(1),
)

/** The same. */
const nextWebhook = prepared((db, p: { host: string; accountId: number; after: number; now: number }) =>
  db
    .selectFrom('webhook_delivery')
    .where('host', '=', p.host)
    .where('account_id', '=', p.accountId)
    .where('deployment_id', '>', p.after)
    .where('due_at', '<=', p.now)
    .select('deployment_id as id')
    .orderBy('deployment_id')
    .limit(1),
)

/** The same. On PostgreSQL it is locked until the transaction ends, and those that another process has locked are left out. */
const oldestDue = prepared((db, p: DueWebhook & { now: number }, dialect) =>
  db
    .selectFrom('webhook_delivery')
    .where('host', '=', p.host)
    .where('account_id', '=', p.accountId)
    .where('deployment_id', '=', p.webhookId)
    .where('due_at', '<=', p.now)
    .select(['request_id as requestId', 'attempts'])
    .orderBy('due_at')
    .limit(1)
    .$if(dialect === 'postgres', (query) => query.forUpdate().skipLocked()),
)

const claim = prepared((db, p: { webhookId: number; requestId: number; until: number }) =>
  db
    .updateTable('webhook_delivery')
    .set({ attempts: sql<number>`attempts + 1`, due_at: p.until })
    .where('deployment_id', '=', p.webhookId)
    .where('request_id', '=', p.requestId),
)

const claimDue = unit(
  import.meta,
  'claimDue',
  async (tx, webhooks: readonly DueWebhook[], now: number, until: number): Promise<Delivery[]> => {
    const claimed: Delivery[] = []
    for (const webhook of webhooks) {
      const found = await tx.one(oldestDue, { ...webhook, now })
      if (found === undefined) continue
      tx.send(claim, { webhookId: webhook.webhookId, requestId: found.requestId, until })
      claimed.push({ ...webhook, requestId: found.requestId, attempts: found.attempts + 1 })
    }
    return claimed
  },
)

/** Due deliveries, and claims on them. System store: those of all accounts. */
export const dueStore = (db: Database) => ({
  /** Hosts to which deliveries are due, those of the oldest first; empty without any. */
  async dueHosts(now: number, { hosts, accounts }: DeliveriesUnderWay): Promise<readonly string[]> {
    const rows = await db.all(dueHosts, {
      now,
      hosts: JSON.stringify(keysAtLimit(hosts, deliveryLimits.host)),
      accounts: JSON.stringify(keysAtLimit(accounts, deliveryLimits.account)),
    })
    return [...new Set(rows.map(({ host }) => host))]
  },

  /** @returns the id; undefined if there is no further one */
  nextAccount: async ({ busyAccounts, ...due }: DueAccount): Promise<number | undefined> =>
    (await db.one(nextAccount, { ...due, accounts: JSON.stringify(busyAccounts) }))?.id,

  /** @returns the id; undefined if there is no further one */
  nextWebhook: async (due: DueOfAccount): Promise<number | undefined> => (await db.one(nextWebhook, due))?.id,

  /** Claims the oldest due delivery of each webhook: no other process sends them during the lease. */
  claim: (webhooks: readonly DueWebhook[], now: number, leaseMs: number): Promise<Delivery[]> =>
    db.write(claimDue, webhooks, now, now + leaseMs),
})
