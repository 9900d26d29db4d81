import type { LimitName } from '../shared/account-limits.js'
import type { Setting } from './setting.js'
import { settings } from './settings.js'

const { dns, files, sites, packages, sms } = settings

/** The setting of each limit that the operator can set for one account. */
export const limitSettings: Readonly<Record<LimitName, Setting<number>>> = {
  zones: dns.zonesMax,
  records: dns.recordsMax,
  zone_bytes: dns.zoneBytesMax,
  files: files.filesMax,
  files_bytes: files.bytesMax,
  file_bytes: files.fileBytesMax,
  uploads: files.uploadsMax,
  sites: sites.sitesMax,
  sites_bytes: sites.bytesMax,
  site_bytes: sites.siteBytesMax,
  site_files: sites.siteFilesMax,
  packages: packages.packagesMax,
  packages_bytes: packages.bytesMax,
  package_versions: packages.versionsMax,
  artifacts: packages.artifactsMax,
  artifact_bytes: packages.artifactBytesMax,
  deployments: settings.deploymentsMax,
  credentials: settings.credentialsMax,
  domains: settings.domainsMax,
  sms_messages: sms.messagesMax,
  tls_certificates: settings.tlsCertificatesMax,
}
