/** One thing the operator can set: by a flag of `svc serve` or by the environment. */
export interface Setting<T> {
  readonly env: string
  /** Without the dashes. */
  readonly flag: string
  /** What stands for the value in `--help`. */
  readonly placeholder: string
  readonly description: string
  readonly shownDefault: string
  /** Whether the value may hold a password: then it is never printed. */
  readonly secret: boolean
  /** @throws Unfit */
  readonly parse: (text: string) => T
  /** The value where nothing is set. */
  readonly unset: () => T
}

/** Why a text won't do: `must be …`, to be put behind the name of what was set. */
export class Unfit extends Error {
  override readonly name = 'Unfit'
}

interface Declared<T> {
  readonly env: `SVC_${string}`
  readonly placeholder: string
  readonly description: string
  readonly secret?: true
  readonly parse: (text: string) => T
}

/** A setting that always has a value. */
export const setting = <T>({ default: fallback, ...declared }: Declared<T> & { default: string }): Setting<T> => ({
  ...named(declared),
  shownDefault: fallback,
  unset: () => declared.parse(fallback),
})

/** A setting that may be left out; `shownDefault` says what happens then. */
export const optional = <T>({
  shownDefault,
  ...declared
}: Declared<T> & { shownDefault: string }): Setting<T | undefined> => ({
  ...named(declared),
  shownDefault,
  unset: () => undefined,
})

const named = <T>(declared: Declared<T>) => ({
  ...declared,
  flag: declared.env.slice('SVC_'.length).toLowerCase().replaceAll('_', '-'),
  secret: declared.secret ?? false,
})
