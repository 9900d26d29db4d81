/**
 * What the browser tab remembers of its places, also after a reload: how far each entry of the history was scrolled, which page it is, and
 * how tables are sorted. Nothing of it is secret.
 */
interface Remembered {
  /** By the key of the entry, in pixels. */
  scroll: Record<string, number>
  /** The paths of the entries, by their place in the history. */
  paths: Record<string, string>
  sorts: Record<string, { readonly key: string; readonly isDescending: boolean }>
  /** The height of the rows of each table, in pixels. */
  rowHeights: Record<string, number>
}

const storageKey = 'svc-places'

/** Fewer than this many entries of the history are remembered. */
const entriesMax = 200

export const places: Remembered = {
  ...{ scroll: {}, paths: {}, sorts: {}, rowHeights: {} },
  ...(JSON.parse(sessionStorage.getItem(storageKey) ?? '{}') as Partial<Remembered>),
}

addEventListener('pagehide', () => {
  const latest = <Value>(all: Record<string, Value>) => Object.fromEntries(Object.entries(all).slice(-entriesMax))
  const kept = { ...places, scroll: latest(places.scroll), paths: latest(places.paths) }
  sessionStorage.setItem(storageKey, JSON.stringify(kept))
})

/** The place of the current entry in the history of the tab; undefined for one that the router has not made. */
export const placeInHistory = (): number | undefined => (history.state as { idx?: number } | null)?.idx
