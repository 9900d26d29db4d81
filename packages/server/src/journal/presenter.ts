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
