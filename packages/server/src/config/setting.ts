/** A setting of the server: a flag of `svc serve` and an environment variable. */
export interface Setting<T> {
  readonly env: string
  /** The name of the flag, without dashes. */
  readonly flag: string
  /** The placeholder of the value in `--help`, such as `<port>`. */
  readonly placeholder: string
  readonly description: string
  readonly shownDefault: string
  /** Whether the value may contain a password: then it is never printed. */
  readonly secret: boolean
  /** @throws InvalidSetting */
  readonly parse: (text: string) => T
  /** The value if the setting is not set. */
  readonly defaultValue: () => T
}

/** The value of a setting is invalid. The message is `must be …`, without the name of the setting and without a full stop. */
export class InvalidSetting extends Error {
  override readonly name = 'InvalidSetting'
}

interface Declared<T> {
  readonly env: `SVC_${string}`
  readonly placeholder: string
  readonly description: string
  readonly secret?: true
  readonly parse: (text: string) => T
}

/** Declares a setting with a default value. */
export const setting = <T>({ default: fallback, ...declared }: Declared<T> & { default: string }): Setting<T> => ({
  ...withFlag(declared),
  shownDefault: fallback,
  defaultValue: () => declared.parse(fallback),
})

/** Declares a setting that may be undefined; `shownDefault` describes the behaviour without it. */
export const optional = <T>({
  shownDefault,
  ...declared
}: Declared<T> & { shownDefault: string }): Setting<T | undefined> => ({
  ...withFlag(declared),
  shownDefault,
  defaultValue: () => undefined,
})

const withFlag = <T>(declared: Declared<T>) => ({
  ...declared,
  flag: declared.env.slice('SVC_'.length).toLowerCase().replaceAll('_', '-'),
  secret: declared.secret ?? false,
})
