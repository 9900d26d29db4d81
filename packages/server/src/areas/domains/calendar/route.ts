import { ApiError } from '@svc/contract/errors'
import { Download } from '../../../http/answer.js'
import type { PublicRoute } from '../../../http/area.js'
import type { CalendarCache } from './calendar-cache.js'
import type { CalendarStore } from './calendar-store.js'

/** The calendar at its secret address. */
export const calendarRoute = (calendars: Pick<CalendarStore, 'byKey'>, cache: CalendarCache): PublicRoute => ({
  path: '/calendar/:key.ics',
  answer: async (request) => {
    const found = await calendars.byKey(request.params['key'] ?? '')
    if (found === undefined) throw new ApiError('not_found', 'There is no calendar at this address.')
    const { bytes, etag } = await cache.get(found, () => request.hasLeft)
    return new Download({
      // Without Last-Modified: its seconds would hide the second change within one.
      size: bytes.length,
      etag,
      lastModified: undefined,
      mediaType: 'text/calendar; charset=utf-8',
      name: 'domains.ics',
      disposition: 'attachment',
      open: ({ first, last }) => Promise.resolve(bytes.subarray(first, last + 1)),
    })
  },
})
