import { timestamp } from '../shared/timestamp.js'
import type { ShownEvent } from './events.js'

/** The JSON of an event in the list of the account. */
export const eventJson = ({
  id,
  at,
  area,
  action,
  object,
  kind,
  actorName,
  actorId,
  network,
  requestId,
  serial,
  ...fields
}: ShownEvent): string => {
  const event = {
    id,
    at: timestamp(at),
    area,
    action,
    object,
    actor: { kind, name: actorName, id: actorId },
    network,
    request_id: requestId,
    ...(serial !== null && { serial }),
  }
  // The fields are JSON text already.
  return `${JSON.stringify(event).slice(0, -1)},"before":${fields.before ?? 'null'},"after":${fields.after ?? 'null'}}`
}

/** The JSON of an event for those that listen to it: one line, without its fields. */
export const liveEventJson = (event: ShownEvent): string => {
  const { id, at, area, action, object, kind, actorName, actorId, requestId, zone, serial } = event
  return JSON.stringify({
    id,
    at: timestamp(at),
    area,
    action,
    object,
    actor: { kind, name: actorName, id: actorId },
    request_id: requestId,
    ...(zone !== null && { zone }),
    ...(serial !== null && { serial }),
  })
}
