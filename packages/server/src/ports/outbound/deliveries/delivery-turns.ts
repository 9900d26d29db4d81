import { LRUCache } from 'lru-cache'
import { deliveryLimits, keysAtLimit, type DeliveriesUnderWay, type DueWebhook } from './delivery-limits.js'

/** The first account with a due delivery to the host, of those with greater ids. */
export interface DueAccount {
  readonly host: string
  readonly after: number
  readonly now: number
  /** Accounts that are left out. */
  readonly busyAccounts: readonly number[]
}

/** The first webhook of an account with a due delivery to the host, of those with greater ids. */
export interface DueOfAccount {
  readonly host: string
  readonly accountId: number
  readonly after: number
  readonly now: number
}

/** Finds due deliveries. */
export interface DueDeliveries {
  readonly nextAccount: (due: DueAccount) => Promise<number | undefined>
  readonly nextWebhook: (due: DueOfAccount) => Promise<number | undefined>
}

/** Hosts, and accounts at a host, whose last turn is remembered; beyond them, the least recently used begin again. */
const rememberedMax = 10_000

/**
 * Takes turns between the accounts that wait for a host, and between the webhooks of an account there: an account with many deliveries
 * does not delay the few of another one. The turns are in memory, so each process takes turns for itself.
 */
export class DeliveryTurns {
  /** The id that was picked last: of an account by host, of a webhook by host and account. */
  readonly #last = new LRUCache<string, number>({ max: rememberedMax })

  constructor(private readonly due: DueDeliveries) {}

  /** Chooses at most one webhook for each host. */
  async pick(hosts: readonly string[], underWay: DeliveriesUnderWay, now: number): Promise<DueWebhook[]> {
    const accounts = new Map(underWay.accounts)
    const picked: DueWebhook[] = []
    for (const host of hosts.slice(0, underWay.free)) {
      const busyAccounts = keysAtLimit(accounts, deliveryLimits.account)
      const accountId = await this.#next(host, (after) => this.due.nextAccount({ host, after, now, busyAccounts }))
      if (accountId === undefined) continue
      const ofAccount = (after: number) => this.due.nextWebhook({ host, accountId, after, now })
      const webhookId = await this.#next(`${host} ${String(accountId)}`, ofAccount)
      if (webhookId === undefined) continue
      accounts.set(accountId, (accounts.get(accountId) ?? 0) + 1)
      picked.push({ webhookId, accountId, host })
    }
    return picked
  }

  async #next(key: string, find: (after: number) => Promise<number | undefined>): Promise<number | undefined> {
    const next = (await find(this.#last.get(key) ?? 0)) ?? (await find(0))
    if (next !== undefined) this.#last.set(key, next)
    return next
  }
}
