import { ApiError } from '@svc/contract/errors'
import type { Account } from '../../../shared/account.js'
import { KeyedSlots } from '../../../shared/slots.js'

/**
 * How many histories are read at a time, and how many such requests wait: of an account, and of all. A history of 16 MB takes 50 MB of
 * memory while a zone is rebuilt from it.
 */
const limits = { each: { running: 1, waiting: 100 }, all: { running: 4, waiting: 1000 } }

/** @returns a function that runs work of an account after its earlier work. It throws an ApiError if too many requests wait */
export function historySlots() {
  const busy = () =>
    new ApiError(
      'internal_error',
      'Too many requests read histories of zones now. Try again later.',
      {},
      { 'Retry-After': '1' },
    )
  const slots = new KeyedSlots<number>({ ...limits, busy })
  return <R>({ id }: Pick<Account, 'id'>, work: () => Promise<R>): Promise<R> => slots.run(id, Infinity, work)
}
