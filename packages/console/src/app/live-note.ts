import { backgroundClient } from '../parts/api/client.js'
import type { LiveEvent } from '../parts/api/live-stream.js'
import { counted } from '../parts/format.js'

/**
 * What a note says of the events of others: the newest in the words of the page Activity, and how many more there are.
 * @returns undefined if the event cannot be read
 */
export async function noteOf(events: readonly LiveEvent[]): Promise<string | undefined> {
  const newest = events.at(-1)
  if (newest === undefined) return undefined
  const others = new Set(events.map(wordsOf)).size - 1
  const text = await textOf(newest)
  if (text === undefined) return undefined
  return others === 0 ? `${text}.` : `${text}, and ${counted(others, 'more change')}.`
}

/** Equal for events that say the same. */
const wordsOf = ({ area, action, object, actor }: LiveEvent): string =>
  JSON.stringify([area, action, object, actor.kind, actor.name])

async function textOf({ id, actor }: LiveEvent): Promise<string | undefined> {
  // The stream leaves out the fields that some sentences have, such as the new email.
  const [{ eventText }, { events }] = await Promise.all([
    import('../areas/activity/event-words.js'),
    backgroundClient.account.eventList({ before: id + 1, limit: 1 }),
  ])
  const [event] = events
  if (event?.id !== id) return undefined
  const text = eventText(event)
  // Of the user, who knows what this tab has done.
  return actor.kind === 'session' && text.startsWith('You ') ? `${text} in another tab or browser` : text
}
