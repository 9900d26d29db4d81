import { historyDaysDefault, type Areas } from '@svc/contract'
import type { Handlers } from '../../../http/handler.js'
import { lastDays } from '../../../shared/days.js'
import { timestamp } from '../../../shared/timestamp.js'
import type { DnsStores } from '../stores.js'
import { pathZone } from '../zones/name.js'

interface QueryHandlerDependencies {
  readonly queryCounts: DnsStores['queryCounts']
  readonly requireVerified: DnsStores['records']['requireVerified']
  /** Whether the nameserver is in this process. */
  readonly isCounting: boolean
}

/** What the nameserver has answered for a zone. */
export const queryHandlers = ({
  queryCounts,
  requireVerified,
  isCounting,
}: QueryHandlerDependencies): Pick<Handlers<Areas['dns']>, 'zoneQueries'> => ({
  async zoneQueries({ params, query: { days = historyDaysDefault } }, { account }) {
    const zone = pathZone(params.zone)
    if (!isCounting) {
      await requireVerified(account, zone)
      return { zone, counted_by: 'powerdns', days: [], hours: [] }
    }
    const [byDay, byHour] = await Promise.all([
      queryCounts.days(account, zone, lastDays(days)),
      queryCounts.hours(account, zone),
    ])
    return {
      zone,
      counted_by: 'svc',
      days: byDay.map(({ day, ...counts }) => ({ day, counts })),
      hours: byHour.map(({ start, counts, weekBefore }) => ({
        start: timestamp(start),
        counts,
        week_before: weekBefore,
      })),
    }
  },
})
