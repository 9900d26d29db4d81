/** The accepted texts of a setting, and their values. */
export interface Type<T> {
  /** The placeholder of the value in `--help`, such as `<port>`. */
  readonly placeholder: string
  /** @throws InvalidSetting */
  readonly parse: (text: string) => T
}

/** A setting of the server: a flag of `svc serve` and an environment variable. */
export interface Setting<T> extends Type<T> {
  readonly env: string
  /** The name of the flag, without dashes. */
  readonly flag: string
  readonly description: string
  /** Its default as text, or a description of the behaviour without it. */
  readonly shownDefault: string
  /** Whether the value may contain a password: then it is never printed. */
  readonly secret: boolean
  /** The value if the setting is not set. */
  readonly defaultValue: () => T
}

export type AnySetting = Setting<unknown>

/** Settings by their name in the configuration; those that belong together are a nested group. */
export interface Settings {
  readonly [name: string]: AnySetting | Settings
}

/** The configuration of a group of settings. */
export type Values<G> = { readonly [K in keyof G]: G[K] extends Setting<infer T> ? T : Values<G[K]> }

/** The value of a setting is invalid. The message is `must be …`, without the name of the setting and without a full stop. */
export class InvalidSetting extends Error {
  override readonly name = 'InvalidSetting'
}

interface Declared<T> {
  readonly type: Type<T>
  readonly default: string
  readonly secret?: boolean
}

/** Declares a setting with a default value. */
export const setting = <T>(
  env: `SVC_${string}`,
  description: string,
  { type, default: fallback, secret = false }: Declared<T>,
): Setting<T> => ({
  ...type,
  env,
  flag: env.slice('SVC_'.length).toLowerCase().replaceAll('_', '-'),
  description,
  shownDefault: fallback,
  secret,
  defaultValue: () => type.parse(fallback),
})

/** Declares a setting that may be undefined; `default` describes the behaviour without it. */
export const optional = <T>(...declared: Parameters<typeof setting<T>>): Setting<T | undefined> => ({
  ...setting(...declared),
  defaultValue: () => undefined,
})

const isSetting = (member: AnySetting | Settings): member is AnySetting => typeof member.env === 'string'

/** The settings of a group and its nested groups, in the order of their declaration. */
export const settingsOf = (group: Settings): readonly AnySetting[] =>
  Object.values(group).flatMap((member) => (isSetting(member) ? [member] : settingsOf(member)))

/** Reads all settings of a group, in the order of their declaration. */
export function valuesOf<G extends Settings>(group: G, read: (setting: AnySetting) => unknown): Values<G> {
  const values = Object.entries(group).map(([name, member]) => [
    name,
    isSetting(member) ? read(member) : valuesOf(member, read),
  ])
  return Object.fromEntries(values) as Values<G>
}
