import { formatDate } from '../../../parts/format.js'

/** Changes by the day in the time zone of the browser. Pure. */

interface Day<Item> {
  /** Identifies the day: `2026-11-27`. */
  readonly key: string
  readonly label: string
  readonly items: readonly Item[]
}

const keyOf = (at: Date): string =>
  [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-')

/** @param items newest first @param now in milliseconds since the epoch */
export function byDay<Item extends { readonly at: string }>(items: readonly Item[], now = Date.now()): Day<Item>[] {
  const today = new Date(now)
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1)
  const names = new Map([
    [keyOf(today), 'Today'],
    [keyOf(yesterday), 'Yesterday'],
  ])
  const days = new Map<string, Item[]>()
  for (const item of items) {
    const key = keyOf(new Date(item.at))
    const found = days.get(key)
    if (found === undefined) days.set(key, [item])
    else found.push(item)
  }
  return Array.from(days, ([key, found]) => ({
    key,
    label: names.get(key) ?? formatDate(found[0]?.at ?? ''),
    items: found,
  }))
}
