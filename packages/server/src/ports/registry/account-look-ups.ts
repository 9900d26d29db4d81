import { ApiError } from '@svc/contract/errors'
import type { Account } from '../../shared/account.js'
import { KeyedSlots } from '../../shared/slots.js'

/** The longest wait of a look-up for others of its account. */
const waitMs = 15_000

/** Limits the look-ups of each account, so that one account cannot keep the others from the registries. */
export class AccountLookUps {
  /** A process runs two look-ups at a time at one server, for all accounts. */
  readonly #slots = new KeyedSlots<number>({
    each: { running: 1, waiting: 64 },
    busy: () =>
      new ApiError(
        'bad_request',
        'The account has too many look-ups at a time. Repeat this one when others have ended.',
      ),
  })

  /** @throws ApiError `bad_request` if too many look-ups of the account are running; the error of the look-up */
  run<R>({ id }: Account, lookUp: () => Promise<R>): Promise<R> {
    return this.#slots.run(id, performance.now() + waitMs, lookUp)
  }
}
