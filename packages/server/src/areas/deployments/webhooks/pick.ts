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
export interface Busy {
  /** How many deliveries can begin. */
  readonly free: number
  /** Deliveries under way, by host and by account. */
  readonly hosts: ReadonlyMap<string, number>
  readonly accounts: ReadonlyMap<number, number>
}

/** The most deliveries of a process at a time, with one host, and of one account: a slow target delays few others. */
export const atOnce = { total: 64, host: 2, account: 4 } as const

/** The hosts or accounts at which no further delivery can begin. */
export const fullOnes = <K>(counts: ReadonlyMap<K, number>, max: number): K[] =>
  [...counts].flatMap(([key, count]) => (count >= max ? [key] : []))

/** Chooses the deliveries that can begin now, the first ones first. */
export function pick<D extends Pick<Delivery, 'host' | 'accountId'>>(due: readonly D[], busy: Busy): D[] {
  const hosts = new Map(busy.hosts)
  const accounts = new Map(busy.accounts)
  const picked: D[] = []
  for (const delivery of due) {
    const { host, accountId } = delivery
    const [atHost, ofAccount] = [hosts.get(host) ?? 0, accounts.get(accountId) ?? 0]
    if (picked.length >= busy.free || atHost >= atOnce.host || ofAccount >= atOnce.account) continue
    hosts.set(host, atHost + 1)
    accounts.set(accountId, ofAccount + 1)
    picked.push(delivery)
  }
  return picked
}
