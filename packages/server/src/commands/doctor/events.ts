import { keptEvents } from '../../journal/retention-store.js'
import { counted } from '../../shared/counted.js'
import { dayMs } from '../../shared/days.js'
import { timestamp } from '../../shared/timestamp.js'
import { requireDatabase, type Check } from './check.js'

/** The job that removes events runs each hour in a running server. */
const graceMs = 2 * dayMs

/** How many events are kept, and whether a server removes old ones. */
export const eventsCheck: Check = {
  section: 'events',
  deadlineMs: 20_000,
  async run(context, report) {
    const database = await requireDatabase(context, report)
    if (database === undefined) return
    const ofAccounts = await keptEvents(database, 'account_event')
    const ofOperator = await keptEvents(database, 'operator_event')
    report.ok(
      `${counted(ofAccounts.count, 'event')} of accounts and ${String(ofOperator.count)} of the operator's commands.`,
    )
    const { historyDays } = context.config.dns
    const oldest = Math.min(ofAccounts.oldest ?? Infinity, ofOperator.oldest ?? Infinity)
    if (historyDays === 0 || oldest >= Date.now() - historyDays * dayMs - graceMs) return
    report.warning(
      `Events are to be kept for ${counted(historyDays, 'day')}, and the oldest is of ${timestamp(oldest)}.`,
      'Keep a server running: it removes old events each hour. Its log says if it cannot.',
    )
  },
}
