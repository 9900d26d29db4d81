import { ApiError } from '@svc/contract/errors'
import type { Account } from '../../shared/account.js'
import { AccountSlots } from '../../shared/account-slots.js'

/** Look-ups of one account that run at a time, and that may wait. A process runs two at a time at one server, for all accounts. */
const runningMax = 1
const waitingMax = 64

/** The longest wait of a look-up for others of its account. */
const waitMs = 15_000

/** Limits the look-ups of each account, so that one account cannot keep the others from the registries. */
export class AccountLookUps {
  readonly #slots = new AccountSlots(runningMax, waitingMax, waitMs)

  /** @throws ApiError `bad_request` if too many look-ups of the account are running; the error of the look-up */
  async run<R extends object>({ id }: Account, lookUp: () => Promise<R>): Promise<R> {
    const answer = await this.#slots.run(id, lookUp)
    if (answer === undefined)
      throw new ApiError(
        'bad_request',
        'The account has too many look-ups at a time. Repeat this one when others have ended.',
      )
    return answer
  }
}
