import { sql } from 'kysely'
import { numberList, textList } from '../../../db/json-list.js'
import type { Database, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Deliveries } from './deliverer.js'
import { deliveryLimits, keysAtLimit, type Delivery, type DueWebhook } from './delivery-limits.js'

/** How many due deliveries are looked at for their hosts, so that a claim is short. */
const candidatesMax = 16

/** A table with the columns of delivery-columns.ts, and the names of those that identify a delivery. */
interface DeliveryTable {
  readonly table: 'webhook_delivery' | 'account_webhook_delivery'
  readonly webhook: string
  readonly request: string
}

interface Due {
  readonly now: number
  /** JSON array of hosts at which no delivery can begin. */
  readonly hosts: string
  /** JSON array of accounts of which no delivery can begin. */
  readonly accounts: string
}

/** The queries that find due deliveries of a table, and claim them. System queries: those of all accounts. */
export function dueQueries(names: DeliveryTable) {
  const [table, webhook, request] = [sql.table(names.table), sql.ref(names.webhook), sql.ref(names.request)]

  /**
   * Served by …_due (due_at, host, account_id). The order keeps PostgreSQL on this index: without it, a scan of the whole table may look
   * cheaper.
   */
  const hosts = prepared((db, p: Due, dialect) => ({
    compile: () =>
      sql<{ host: string }>`select host from ${table} where due_at <= ${p.now}
        and host not in ${textList(p.hosts, dialect)} and account_id not in ${numberList(p.accounts, dialect)}
        order by due_at limit ${sql.lit(candidatesMax)}`.compile(db),
  }))

  /** Served by …_turn (host, account_id, webhook, due_at). @param p.accounts JSON array of those left out */
  const account = prepared((db, p: { host: string; after: number; now: number; accounts: string }, dialect) => ({
    compile: () =>
      sql<{ id: number }>`select account_id as id from ${table} where host = ${p.host} and account_id > ${p.after}
        and due_at <= ${p.now} and account_id not in ${numberList(p.accounts, dialect)}
        order by account_id limit 1`.compile(db),
  }))

  /** The same. */
  const ofAccount = prepared((db, p: { host: string; accountId: number; after: number; now: number }) => ({
    compile: () =>
      sql<{ id: number }>`select ${webhook} as id from ${table} where host = ${p.host} and account_id = ${p.accountId}
        and ${webhook} > ${p.after} and due_at <= ${p.now} order by ${webhook} limit 1`.compile(db),
  }))

  /** The same. On PostgreSQL it is locked until the transaction ends, and those that another process has locked are left out. */
  const oldest = prepared((db, p: DueWebhook & { now: number }, dialect) => ({
    compile: () =>
      sql<{ requestId: number; attempts: number }>`select ${request} as ${sql.ref('requestId')}, attempts from ${table}
        where host = ${p.host} and account_id = ${p.accountId} and ${webhook} = ${p.webhookId} and due_at <= ${p.now}
        order by due_at limit 1 ${dialect === 'postgres' ? sql`for update skip locked` : sql``}`.compile(db),
  }))

  /** Served by the primary key. */
  const claim = prepared((db, p: DueWebhook & { requestId: number; until: number }) => ({
    compile: () =>
      sql<never>`update ${table} set attempts = attempts + 1, due_at = ${p.until}
        where account_id = ${p.accountId} and ${webhook} = ${p.webhookId} and ${request} = ${p.requestId}`.compile(db),
  }))

  return { hosts, account, ofAccount, oldest, claim }
}

type DueQueries = ReturnType<typeof dueQueries>

/** The work of the unit that claims the oldest due delivery of each webhook. */
export const claiming =
  (queries: DueQueries) =>
  async (tx: Transaction, webhooks: readonly DueWebhook[], now: number, until: number): Promise<Delivery[]> => {
    const claimed: Delivery[] = []
    for (const webhook of webhooks) {
      const found = await tx.one(queries.oldest, { ...webhook, now })
      if (found === undefined) continue
      tx.send(queries.claim, { ...webhook, requestId: found.requestId, until })
      claimed.push({ ...webhook, requestId: found.requestId, attempts: found.attempts + 1 })
    }
    return claimed
  }

/** Due deliveries. System store: those of all accounts. */
export const dueReads = (
  db: Database,
  queries: DueQueries,
): Pick<Deliveries, 'dueHosts' | 'nextAccount' | 'nextWebhook'> => ({
  async dueHosts(now, { hosts, accounts }) {
    const rows = await db.all(queries.hosts, {
      now,
      hosts: JSON.stringify(keysAtLimit(hosts, deliveryLimits.host)),
      accounts: JSON.stringify(keysAtLimit(accounts, deliveryLimits.account)),
    })
    return [...new Set(rows.map(({ host }) => host))]
  },
  nextAccount: async ({ busyAccounts, ...due }) =>
    (await db.one(queries.account, { ...due, accounts: JSON.stringify(busyAccounts) }))?.id,
  nextWebhook: async (due) => (await db.one(queries.ofAccount, due))?.id,
})
