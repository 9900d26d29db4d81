import { settings, type AnySetting } from './settings.js'

/** The settings of commands that use only the database. */
export const databaseSettings: readonly AnySetting[] = [settings.data, settings.database]

/** The settings of the command that shows what an account uses of its limits. They must equal those of the server. */
export const usageSettings: readonly AnySetting[] = [
  ...databaseSettings,
  settings.filesBytesMax,
  settings.sitesBytesMax,
  settings.packagesBytesMax,
]

/** The settings of commands that change the master key. They must equal those of the server. */
export const keySettings: readonly AnySetting[] = [...databaseSettings, settings.masterKey]

/** The settings of commands that read the log of the cache in front of svc. They must equal those of the server. */
export const edgeSettings: readonly AnySetting[] = [...databaseSettings, settings.edge, settings.sitesDomain]

/** The settings of commands that change or print zones. They must equal those of the server. */
export const zoneSettings: readonly AnySetting[] = [
  ...databaseSettings,
  settings.nameservers,
  settings.dnsHostmaster,
  settings.dnsRecordsMax,
  settings.dnsZoneBytesMax,
  settings.dns,
  settings.powerdnsKey,
]

/** The settings of the command that deletes an account. They must equal those of the server. */
export const deletionSettings: readonly AnySetting[] = [
  ...zoneSettings,
  settings.blobs,
  settings.edge,
  settings.sitesDomain,
]

/** The settings of commands that need the zones of the operator as well. */
export const claimSettings: readonly AnySetting[] = [...zoneSettings, settings.publicUrl, settings.sitesDomain]

/** The settings of `svc account export`. They must equal those of the server. */
export const exportSettings: readonly AnySetting[] = [...keySettings, settings.blobs]

/** The settings of `svc account import`. They must equal those of the server. */
export const importSettings: readonly AnySetting[] = [...claimSettings, settings.masterKey, settings.blobs]
