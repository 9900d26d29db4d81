import type { Logger } from 'pino'
import type { Database } from '../../db/port.js'
import type { Area } from '../../http/area.js'
import type { MailOutbox } from '../../ports/mail/outbox/outbox.js'
import type { Registries } from '../../ports/registry/port.js'
import { CalendarCache } from './calendar/calendar-cache.js'
import { calendarStore } from './calendar/calendar-store.js'
import { calendarHandlers } from './calendar/handlers.js'
import { calendarRoute } from './calendar/route.js'
import { domainHandlers } from './handlers.js'
import { expiryNotices } from './notices/expiry.js'
import { domainsOverview } from './portfolio/overview-store.js'
import { domainSearch } from './portfolio/search-store.js'
import { portfolioStore } from './portfolio/store.js'
import { refreshStore } from './refresh/refresh-store.js'
import { Refresher } from './refresh/refresher.js'
import { registrySync } from './refresh/sync.js'

interface DomainsAreaDependencies {
  readonly database: Database
  readonly registries: Registries
  readonly log: Logger
  /** The most domains of an account. */
  readonly max: number
  /** The public address of the API, without a slash at the end. */
  readonly baseUrl: string
  readonly outbox: MailOutbox
}

/** The domain portfolio: its domains, their nightly refresh, and the calendar of expiry dates. */
export function domainsArea(dependencies: DomainsAreaDependencies): Area<'domains'> {
  const { database, registries, log, max, baseUrl, outbox } = dependencies
  const notices = expiryNotices(database, outbox, baseUrl)
  const now = Date.now
  const domains = portfolioStore(database, max)
  const refreshes = refreshStore(database, now)
  const sync = registrySync({ registries, refreshes, now })
  const calendars = calendarStore(database)
  return {
    handlers: { ...domainHandlers(domains, sync), ...calendarHandlers(calendars, baseUrl) },
    overview: domainsOverview(database, now),
    search: domainSearch(database),
    routes: [calendarRoute(calendars, new CalendarCache(calendars, now))],
    jobs: [new Refresher({ refreshes, sync, log, now }).job, ...notices.jobs],
    mails: notices.mails,
  }
}
