/** The domains that were looked up since the console was opened, the latest first. They are in memory only. */

export interface LookedUp {
  readonly domain: string
  readonly outcome: 'registered' | 'free'
}

const entriesMax = 20

let entries: readonly LookedUp[] = []
const listeners = new Set<() => void>()

/** Puts a lookup first. A domain is in the list once. */
export function remember(entry: LookedUp): void {
  entries = [entry, ...entries.filter(({ domain }) => domain !== entry.domain)].slice(0, entriesMax)
  for (const listener of listeners) listener()
}

/** For `useSyncExternalStore`. */
export const subscribeHistory = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export const lookedUp = (): readonly LookedUp[] => entries
