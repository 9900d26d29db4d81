import { Slots } from './slots.js'

/** Limits how much of the same work each account does at a time, so that one account cannot use what all of them share. */
export class AccountSlots {
  /** By the id of the account. An account without work is forgotten. */
  readonly #accounts = new Map<number, { readonly slots: Slots; users: number }>()

  /**
   * @param runningMax how much work of an account runs at a time
   * @param waitingMax how much more may wait
   * @param waitMs how long it may wait
   */
  constructor(
    private readonly runningMax: number,
    private readonly waitingMax: number,
    private readonly waitMs: number,
  ) {}

  /** Runs work, after other work of the account. @returns undefined if it would wait too long, or too much waits already */
  async run<R>(accountId: number, work: () => Promise<R>): Promise<R | undefined> {
    const account = this.#accounts.get(accountId) ?? { slots: new Slots(this.runningMax, this.waitingMax), users: 0 }
    this.#accounts.set(accountId, account)
    account.users++
    try {
      if (!(await account.slots.take(performance.now() + this.waitMs))) return undefined
      return await work().finally(() => {
        account.slots.release()
      })
    } finally {
      account.users--
      if (account.users === 0) this.#accounts.delete(accountId)
    }
  }
}
