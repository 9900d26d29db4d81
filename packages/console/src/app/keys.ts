import { areas } from './areas.js'

/** Single keys: each is typed without another one, while no field has the focus and no dialog is open. */

export interface Keys {
  /** Typed one after the other. */
  readonly keys: readonly string[]
  readonly label: string
}

/** Begins the keys that go to an area. */
const go = 'g'

const goKeys = (key: string): readonly string[] => [go, key]

/** On every page. */
export const pageKeys = {
  search: { keys: ['/'], label: 'Go to the search or the filter of the page' },
  act: { keys: ['n'], label: 'New: the main button of the page' },
  next: { keys: ['j'], label: 'Next row' },
  previous: { keys: ['k'], label: 'Previous row' },
  open: { keys: ['Enter'], label: 'Open the row' },
  help: { keys: ['?'], label: 'Show these keys' },
} as const satisfies Readonly<Record<string, Keys>>

/** Those that go to an area. */
export const areaKeys: readonly (Keys & { readonly path: string })[] = areas.map(({ key, label, path }) => ({
  keys: goKeys(key),
  label,
  path,
}))

/** The keys that go to an area, such as `g d`. */
export const keysOf = ({ key }: { readonly key: string }): string => goKeys(key).join(' ')

export type KeyAct = keyof typeof pageKeys

/** What the keys typed so far mean: an act, a path to go to, or that more keys are needed. */
type Meaning = { readonly act: KeyAct } | { readonly path: string } | 'unfinished' | undefined

const acts = Object.entries(pageKeys) as readonly (readonly [KeyAct, Keys])[]

const isSame = (keys: readonly string[], typed: readonly string[]) =>
  keys.length === typed.length && keys.every((key, index) => key === typed[index])

export function meaningOf(typed: readonly string[]): Meaning {
  const act = acts.find(([, { keys }]) => isSame(keys, typed))
  if (act !== undefined) return { act: act[0] }
  const area = areaKeys.find(({ keys }) => isSame(keys, typed))
  if (area !== undefined) return { path: area.path }
  return isSame(typed, [go]) ? 'unfinished' : undefined
}
