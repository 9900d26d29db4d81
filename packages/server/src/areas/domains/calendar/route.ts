import { ApiError } from '@svc/contract/errors'
import { Download } from '../../../http/answer.js'
import type { PublicRoute } from '../../../http/area.js'
import type { CalendarStore } from './calendar-store.js'
import type { Feeds } from './feeds.js'

/** The calendar at its secret address. */
export const calendarRoute = (calendars: Pick<CalendarStore, 'byKey'>, feeds: Feeds): PublicRoute => ({
  path: '/calendar/:key.ics',
  answer: async ({ params }) => {
    const found = await calendars.byKey(params['key'] ?? '')
    if (found === undefined) throw new ApiError('not_found', 'There is no calendar at this address.')
    const { bytes, etag, madeAt } = await feeds.get(found)
    return new Download({
      ...{ size: bytes.length, etag, lastModified: madeAt, mediaType: 'text/calendar; charset=utf-8' },
      ...{ name: 'domains.ics', disposition: 'attachment' },
      open: ({ first, last }) => Promise.resolve(bytes.subarray(first, last + 1)),
    })
  },
})
