import { eventAreas, eventTextMaxLength, type EventArea } from '@svc/contract/events'
import { infiniteQueryOptions } from '@tanstack/react-query'
import { client } from '../../parts/api/client.js'

export type EventPage = Awaited<ReturnType<typeof client.account.eventList>>
export type AccountEvent = EventPage['events'][number]

/** Which events the page lists. Undefined fields select all. */
export interface EventFilter {
  readonly area: EventArea | undefined
  /** The name of the thing. */
  readonly object: string | undefined
  /** The id of an API key. */
  readonly token: number | undefined
}

const idPattern = /^[1-9]\d{0,14}$/

/** The filter of an address. What the server would refuse selects all, as if it were not there. */
export const filterOf = (area: string, object: string, token: string): EventFilter => ({
  area: eventAreas.find((known) => known === area),
  object: object === '' || object.length > eventTextMaxLength ? undefined : object,
  token: idPattern.test(token) ? Number(token) : undefined,
})

/** Fewer than the server's default: the first page is on the screen sooner. */
const pageSize = 100

/** The events of a filter, newest first. */
export const eventsQuery = (filter: EventFilter) =>
  infiniteQueryOptions({
    queryKey: ['account', 'eventList', filter],
    queryFn: ({ pageParam }) => client.account.eventList({ ...filter, limit: pageSize, before: pageParam }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }: EventPage) => next ?? undefined,
  })
