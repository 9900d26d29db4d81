import { areas } from '@svc/contract'
import { formatCount } from '../../parts/format.js'
import { fieldOf } from '../../parts/schema.js'

/** Usual lifetimes of copies in the edge cache, in seconds. */
const presets: readonly (readonly [number, string])[] = [
  [0, 'Not cached'],
  [60, '1 minute'],
  [3_600, '1 hour'],
  [86_400, '1 day'],
  [604_800, '1 week'],
  [2_592_000, '30 days'],
  [fieldOf(areas.cdn.config, 'edge_ttl').maximum ?? 0, '1 year'],
]

export const lifetimeText = (seconds: number): string =>
  presets.find(([preset]) => preset === seconds)?.[1] ?? `${formatCount(seconds)} seconds`

/** The choices of a form. @param current is among them, also if it is not a usual one */
export const lifetimeChoices = (current: number): { value: string; label: string }[] =>
  [...new Set([...presets.map(([seconds]) => seconds), current])]
    .toSorted((a, b) => a - b)
    .map((seconds) => ({ value: String(seconds), label: lifetimeText(seconds) }))
