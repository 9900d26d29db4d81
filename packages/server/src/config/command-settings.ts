import { settings } from './settings.js'

/** The settings of commands that do not use all. Their values must equal those of the server. */

/** For commands that use only the database. */
export const databaseSettings = [settings.data, settings.database]

/** For commands that print the URL of an update key. */
export const tokenSettings = [...databaseSettings, settings.publicUrl]

/** For the command that shows what an account uses of its limits. */
export const usageSettings = [
  ...databaseSettings,
  settings.files.bytesMax,
  settings.sites.bytesMax,
  settings.packages.bytesMax,
]

/** For the command that lists certificates. */
export const certificateSettings = [...databaseSettings, settings.tls.certificates, settings.tls.keys]

/** For commands that change the master key. */
export const keySettings = [...databaseSettings, settings.vault.key]

/** For commands that read the log of the cache in front of svc. */
export const edgeSettings = [...databaseSettings, settings.edge.url, settings.sitesDomain]

/** For commands that change or print zones. */
export const zoneSettings = [
  ...databaseSettings,
  settings.dns.nameservers,
  settings.dns.hostmaster,
  settings.dns.recordsMax,
  settings.dns.zoneBytesMax,
  settings.dns.provider.url,
  settings.dns.provider.key,
]

/** For the command that deletes an account. */
export const deletionSettings = [...zoneSettings, settings.blobs, settings.edge.url, settings.sitesDomain]

/** For commands that need the zones of the operator as well. */
export const claimSettings = [...zoneSettings, settings.publicUrl, settings.sitesDomain]

/** For commands that send e-mails. */
export const mailServerSettings = [settings.mail.server, settings.mail.from]

/** For `svc account export`. */
export const exportSettings = [...keySettings, settings.blobs]

/** For `svc account import`. */
export const importSettings = [...claimSettings, settings.vault.key, settings.blobs]
