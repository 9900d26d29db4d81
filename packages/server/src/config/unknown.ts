import { allSettings } from './settings.js'

/** Variables of `svc api` and `svc account import`, which the server does not read. */
const clientVariables = ['SVC_EXPORT_KEY', 'SVC_TOKEN', 'SVC_URL']

/** A warning for each `SVC_…` variable that is not a setting, because it may be a typo. */
export function unknownVariables(env: NodeJS.ProcessEnv): string[] {
  const known = allSettings.map((setting) => setting.env)
  return Object.keys(env)
    .filter((name) => name.startsWith('SVC_') && !known.includes(name) && !clientVariables.includes(name))
    .sort()
    .map((name) => {
      const meant = closest(name, known)
      const hint = meant === undefined ? 'svc serve --help lists all settings' : `did you mean ${meant}?`
      return `${name} is set, but it is not a setting: ${hint}`
    })
}

/** The candidate with the smallest edit distance; undefined if all differ too much. */
function closest(name: string, candidates: readonly string[]): string | undefined {
  const allowed = Math.max(2, Math.floor((name.length - 'SVC_'.length) / 3))
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
    .sort((a, b) => a.distance - b.distance)
  const [best] = ranked
  return best !== undefined && best.distance <= allowed ? best.candidate : undefined
}

/** The number of letters to insert, delete or replace (Levenshtein distance). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (const [index, letter] of from.split('').entries()) {
    const next = [index + 1]
    for (const [column, other] of to.split('').entries()) {
      const change = (row[column] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(change, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
