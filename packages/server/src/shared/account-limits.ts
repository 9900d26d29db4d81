/** What the operator limits for each account, by the name of its resource: that of the setting without `SVC_`, `DNS_` and `_MAX`. */
export const limitNames = [
  'zones',
  'records',
  'zone_bytes',
  'files',
  'files_bytes',
  'file_bytes',
  'uploads',
  'sites',
  'sites_bytes',
  'site_bytes',
  'site_files',
  'packages',
  'packages_bytes',
  'package_versions',
  'artifacts',
  'artifact_bytes',
  'deployments',
  'credentials',
  'domains',
  'sms_messages',
  'tls_certificates',
] as const

export type LimitName = (typeof limitNames)[number]

/** The limits of one account that differ from those of the settings. Like those, bytes or numbers; for some, 0 is no limit. */
export type AccountLimits = Readonly<Partial<Record<LimitName, number>>>

/** Of an account to which the settings apply. */
export const noLimits: AccountLimits = {}

/**
 * The limits that apply to an account. Every check of a limit of an account reads them here.
 * @param settings those of the installation
 * @param names of the resources that they limit
 */
export function limitsOf<L extends { readonly [K in keyof L]: number }>(
  { limits }: { readonly limits: AccountLimits },
  settings: L,
  names: { readonly [K in keyof L]: LimitName },
): L {
  if (limits === noLimits) return settings
  const own = (Object.keys(names) as (keyof L)[]).flatMap((key) => {
    const limit = limits[names[key]]
    return limit === undefined ? [] : [[key, limit] as const]
  })
  return { ...settings, ...Object.fromEntries(own) }
}

/** The limit of one resource. */
export const limitOf = ({ limits }: { readonly limits: AccountLimits }, name: LimitName, setting: number): number =>
  limits[name] ?? setting

/** Whether a value is an object of limits. */
export const isLimits = (value: unknown): value is AccountLimits =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.entries(value).every(
    ([name, limit]) =>
      (limitNames as readonly string[]).includes(name) && Number.isSafeInteger(limit) && (limit as number) >= 0,
  )
