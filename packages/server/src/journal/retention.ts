import { eventsOfAccountMax, olderAccountEventsMax } from '@svc/contract/events'
import type { Database } from '../db/port.js'
import { dayMs } from '../shared/days.js'
import type { Job } from '../shared/job.js'
import { orphanStore } from './orphan-store.js'
import { eventRetentionStore, type JournalTable } from './retention-store.js'

export interface EventLimits {
  /** Days to keep events; 0 for no limit. */
  readonly historyDays: number
  /** The most events of an account. */
  readonly eventsMax?: number
  /** Behind those, the most events of its sign-ins, tokens and settings. */
  readonly olderMax?: number
  /** The most events of the operator's journal. */
  readonly operatorMax?: number
}

/** An operator's script that runs commands in a loop must not fill the database. */
const operatorEventsMax = 100_000

async function removeOrphans(orphans: ReturnType<typeof orphanStore>, signal: AbortSignal): Promise<void> {
  for await (const gaps of orphans.gaps())
    for (let removed = 1; removed > 0 && gaps.length > 0;) {
      removed = 0
      for (const accountId of await orphans.strangers(gaps)) {
        if (signal.aborted) return
        removed += await orphans.remove(accountId)
      }
    }
}

/**
 * Removes events that are too old or whose account does not exist, and the oldest ones of accounts and an operator's journal that have too many. Those of the
 * area `account` stay longer: the activity of a token does not displace the event of its creation.
 */
export function eventRetention(
  db: Database,
  {
    historyDays,
    eventsMax = eventsOfAccountMax,
    olderMax = olderAccountEventsMax,
    operatorMax = operatorEventsMax,
  }: EventLimits,
): Job {
  const store = eventRetentionStore(db)

  async function removeOld(table: JournalTable, before: number, signal: AbortSignal): Promise<void> {
    for (let after: number | undefined = 0; after !== undefined && !signal.aborted;)
      after = await store.removeOld(table, after, before)
  }

  /** @returns how many of them are of the area `account`, which stay */
  async function removeOthers(accountId: number, through: number, signal: AbortSignal): Promise<number> {
    let kept = 0
    for await (const events of store.eventsThrough(accountId, through)) {
      if (signal.aborted) break
      const others = events.filter(({ area }) => area !== 'account')
      kept += events.length - others.length
      if (others.length > 0) await store.remove(accountId, others)
    }
    return kept
  }

  async function removeExcess(accountId: number, signal: AbortSignal): Promise<void> {
    const through = await store.excess(accountId, eventsMax)
    if (through === undefined) return
    let excess = (await removeOthers(accountId, through, signal)) - olderMax
    if (excess <= 0) return
    for await (const events of store.eventsThrough(accountId, through)) {
      if (signal.aborted || excess <= 0) return
      await store.remove(accountId, events.slice(0, excess))
      excess -= events.length
    }
  }

  async function removeExcessOfAccounts(signal: AbortSignal): Promise<void> {
    for await (const accounts of store.spans())
      for (const { accountId, first, last } of accounts) {
        if (signal.aborted) return
        // Ids are those of all accounts: one whose ids span no more has no more events.
        if (first !== null && last !== null && last - first >= eventsMax) await removeExcess(accountId, signal)
      }
  }

  return {
    name: 'account.event-retention',
    everyMs: 3_600_000,
    runsIn: 'one process',
    failureMessage: 'old events could not be removed',
    run: async (signal) => {
      const before = Date.now() - historyDays * dayMs
      if (historyDays > 0)
        for (const table of ['account_event', 'operator_event'] as const) await removeOld(table, before, signal)
      while (!signal.aborted && (await store.removeExcessOfOperator(operatorMax)));
      await removeOrphans(orphanStore(db), signal)
      await removeExcessOfAccounts(signal)
    },
  }
}
