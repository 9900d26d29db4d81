import { badRequest, type Areas } from '@svc/contract'
import { eventAreas } from '@svc/contract/events'
import { EventStream } from '../../http/answer.js'
import type { Handlers } from '../../http/handler.js'
import { listedAreas, requireReadable } from './readable.js'
import type { EventStreams } from './streams.js'

export const streamHandlers = (streams: EventStreams): Handlers<Areas['events']> => ({
  stream({ query }, { account, scopes, session, tokenId, header }) {
    const caller = { account, scopes, session, tokenId }
    const listed = query.area === undefined ? undefined : listedAreas(query.area)
    if (listed !== undefined) requireReadable(listed, caller)
    const lastId = idOf(header('last-event-id')) ?? query.last_event_id
    return new EventStream((connection) => streams.open(connection, { caller, areas: listed ?? eventAreas, lastId }))
  },
})

/** The id in the header Last-Event-ID; undefined without one. @throws ApiError */
function idOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const id = /^\d+$/.test(text) ? Number(text) : NaN
  if (!Number.isSafeInteger(id)) throw badRequest('Last-Event-ID', 'must be the id of an event, such as 1207')
  return id
}
