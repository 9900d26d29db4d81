import type { TokenScope } from '@svc/contract'

/** Who a request acts for. Every store method takes one first. */
export interface Account {
  readonly id: number
  readonly email: string
  readonly nickname: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** Who came through a door. */
export interface Caller {
  readonly account: Account
  readonly scopes: readonly TokenScope[]
  /** The browser session the call came with; null at the Bearer door. */
  readonly session: { readonly id: number; readonly createdAt: number } | null
}
