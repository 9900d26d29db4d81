/** The limits of orders for accounts: one account must not spend what a CA allows the operator in a week. */

export interface OrderLimits {
  /** Orders of one account in 24 hours, also those that fail. */
  readonly accountOrders: number
  /** New certificates of one registrable domain in seven days. */
  readonly domainOrders: number
  /** Certificates of one account; its own limit overrides it. */
  readonly certificates: number
}

/** Those of new certificates. */
export type NewOrderLimits = Omit<OrderLimits, 'certificates'>

const hourMs = 3_600_000
export const dayMs = 24 * hourMs
export const weekMs = 7 * dayMs

/** What the database found beyond a limit. Times are milliseconds since the epoch. */
export type Exceeded =
  | { readonly limit: 'certificates'; readonly max: number }
  | { readonly limit: 'accountOrders'; readonly max: number; readonly freeAt: number }
  | { readonly limit: 'domainOrders'; readonly max: number; readonly freeAt: number; readonly domain: string }

/** An order waits, because it is beyond a limit of this server. The message is a sentence for the user. */
export class OverLimit extends Error {
  override readonly name = 'OverLimit'

  /** @param nextAt when it is tried again, in milliseconds since the epoch */
  constructor(
    message: string,
    readonly nextAt: number,
  ) {
    super(message)
  }
}

/** @param now milliseconds since the epoch */
export function overLimit(exceeded: Exceeded, now: number): OverLimit {
  const { limit, max } = exceeded
  switch (limit) {
    case 'certificates':
      return new OverLimit(
        `The account has more than ${String(max)} certificates, which is the maximum: delete one, or remove a domain of a site.`,
        now + hourMs,
      )
    case 'accountOrders':
      return new OverLimit(
        `The account has ordered ${String(max)} certificates in 24 hours, which is the maximum of this server.`,
        exceeded.freeAt,
      )
    case 'domainOrders':
      return new OverLimit(
        `${exceeded.domain} has got ${String(max)} new certificates in seven days, which is the maximum of this server.`,
        exceeded.freeAt,
      )
  }
}
