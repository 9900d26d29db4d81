/** A due delivery. */
export interface Delivery {
  /** What has the target: its deliveries take turns with those of others. */
  readonly webhookId: number
  /** What is sent, such as a received request or an event: its id within the webhook. */
  readonly requestId: number
  readonly accountId: number
  /** Of the target. */
  readonly host: string
  /** With the claimed one. */
  readonly attempts: number
}

/** A webhook with a due delivery. */
export type DueWebhook = Pick<Delivery, 'webhookId' | 'accountId' | 'host'>

/** What this process is sending. */
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
