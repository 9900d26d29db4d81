import { formatDate } from '../../parts/format.js'

/** A day with its events, in the time zone of the browser. */
export interface Day<Event> {
  /** `Today`, `Yesterday` or the date. */
  readonly title: string
  readonly events: readonly Event[]
}

const dayMs = 86_400_000

/** @param events in the order of their times @param now in milliseconds since the epoch */
export function daysOf<Event extends { readonly at: string }>(
  events: readonly Event[],
  now = Date.now(),
): readonly Day<Event>[] {
  const date = (ms: number) => formatDate(new Date(ms).toISOString())
  const titles = new Map([
    [date(now - dayMs), 'Yesterday'],
    [date(now), 'Today'],
  ])
  const days = new Map<string, Event[]>()
  for (const event of events) {
    const day = formatDate(event.at)
    const known = days.get(day)
    if (known) known.push(event)
    else days.set(day, [event])
  }
  return Array.from(days, ([day, ofDay]) => ({ title: titles.get(day) ?? day, events: ofDay }))
}
