import type { OrderLimitStore } from '../src/ports/certificates/acme/order-limit-store.js'

/** For tests of other things: no order is counted. */
export const noOrderLimits: OrderLimitStore = {
  reserve: () => Promise.resolve(undefined),
  fail: () => Promise.resolve(),
}
