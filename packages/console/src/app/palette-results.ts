import type { Entry } from './palette-entries.js'

/** As many as are in the list: all are rendered again at each key. */
const resultsMax = 16
/** Pages and commands in front of what the server has found. */
const namedMax = 6

const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')

/** Labels that are the text come first, then those that contain it, then those that contain its words. */
function rankOf(label: string, wanted: string): number {
  if (label === wanted) return 0
  return label.includes(wanted) ? 1 : 2
}

/**
 * The entries that fit a text: pages and commands by their labels, what the server has found, then pages and commands by their areas and
 * other words.
 * @param found of the server, for this text or one before
 */
export function resultsOf(text: string, entries: readonly Entry[], found: readonly Entry[]): readonly Entry[] {
  const wanted = text.trim().toLowerCase()
  const words = wordsOf(text)
  const has = (value: string) => words.every((word) => value.toLowerCase().includes(word))
  const named = entries
    .filter(({ label }) => has(label))
    .map((entry) => ({ entry, rank: rankOf(entry.label.toLowerCase(), wanted) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ entry }) => entry)
  const related = entries.filter(
    ({ label, detail, words: others }) => !has(label) && has(`${label} ${detail} ${others}`),
  )
  const first = named.slice(0, namedMax)
  return [...first, ...found, ...related, ...named.slice(namedMax)].slice(0, resultsMax)
}

/** The entries of an empty text: those that were opened lately are in front, and not repeated. */
export function startEntries(recent: readonly Entry[], entries: readonly Entry[]): readonly Entry[] {
  const shown = new Set(recent.map(({ id }) => id))
  return entries.filter(({ id }) => !shown.has(id)).slice(0, resultsMax - recent.length)
}
