import type { Database } from '../../../db/port.js'
import { unit } from '../../../db/unit.js'
import type { AccountEvent } from '../../../journal/event-store.js'
import { recordReadEvents } from '../../../journal/read-event-store.js'
import type { Context } from '../../../http/handler.js'
import { hourMs } from '../../../shared/days.js'
import { wideNetworkOf } from '../../../shared/network-of.js'
import { WriteBatch } from '../../../shared/write-batch.js'
import { browserActor } from './browser-actor.js'

/** Failed sign-ins as events of the accounts that exist. */

/** In an hour, so many networks of an account become events: guesses from many networks must not drop the other events. */
const networksMax = 20

/** In an hour, the failures of so many accounts become events. */
const accountsMax = 1_000

const record = unit(import.meta, 'recordFailedSignIns', async (tx, events: readonly AccountEvent[]) =>
  recordReadEvents(tx, events),
)

export type FailedSignIns = ReturnType<typeof failedSignIns>

/**
 * Collects failed sign-ins, one for each account, network and hour of a process. They are written by `flush`, so that the time of an
 * answer does not tell whether the account exists.
 */
export function failedSignIns(db: Database, now: () => number = Date.now) {
  const networks = new Map<number, Set<string>>()
  let hour = 0
  const batch = new WriteBatch<AccountEvent, string>(
    (events) =>
      db.write(
        record,
        events.map(([, event]) => event),
      ),
    (earlier) => earlier,
  )

  function isNew(accountId: number, network: string): boolean {
    const thisHour = Math.floor(now() / hourMs)
    if (thisHour !== hour) networks.clear()
    hour = thisHour
    const known = networks.get(accountId) ?? new Set()
    if (known.size >= networksMax || known.has(network)) return false
    if (known.size === 0 && networks.size >= accountsMax) return false
    networks.set(accountId, known.add(network))
    return true
  }

  return {
    note({ id: accountId }: { readonly id: number }, context: Context): void {
      const network = wideNetworkOf(context.ip)
      if (!isNew(accountId, network)) return
      const actor = browserActor(context)
      const event = {
        accountId,
        at: now(),
        area: 'account',
        action: 'sign_in_fail',
        object: '',
        actor,
        network,
      } as const
      batch.add(`${String(accountId)} ${network} ${String(hour)}`, event)
    },

    /** @throws the error of the database. The events are kept for the next flush. */
    flush: () => batch.flush(),
  }
}
