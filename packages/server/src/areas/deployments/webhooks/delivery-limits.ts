/** A due delivery. */
export interface Delivery {
  readonly webhookId: number
  readonly requestId: number
  readonly accountId: number
  /** Of the target. */
  readonly host: string
  /** With the claimed one. */
  readonly attempts: number
}

/** What this process is sending. It must survive a structured clone. */
export interface DeliveriesUnderWay {
  /** How many deliveries can begin. */
  readonly free: number
  /** Deliveries under way, by host and by account. */
  readonly hosts: ReadonlyMap<string, number>
  readonly accounts: ReadonlyMap<number, number>
}

/** The most deliveries of a process at a time, with one host, and of one account: a slow target delays few others. */
export const deliveryLimits = { total: 64, host: 2, account: 4 } as const

/** The hosts or accounts at which no further delivery can begin. */
export const keysAtLimit = <K>(counts: ReadonlyMap<K, number>, max: number): K[] =>
  [...counts].flatMap(([key, count]) => (count >= max ? [key] : []))

/** Chooses the deliveries that can begin now, the first ones first. */
export function pickStartable<D extends Pick<Delivery, 'host' | 'accountId'>>(
  due: readonly D[],
  underWay: DeliveriesUnderWay,
): D[] {
  const hosts = new Map(underWay.hosts)
  const accounts = new Map(underWay.accounts)
  const picked: D[] = []
  for (const delivery of due) {
    const { host, accountId } = delivery
    const [atHost, ofAccount] = [hosts.get(host) ?? 0, accounts.get(accountId) ?? 0]
    if (picked.length >= underWay.free || atHost >= deliveryLimits.host || ofAccount >= deliveryLimits.account) continue
    hosts.set(host, atHost + 1)
    accounts.set(accountId, ofAccount + 1)
    picked.push(delivery)
  }
  return picked
}
