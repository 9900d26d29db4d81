/** Exports for the command line. Each `load…` function imports its module on demand. */
export {
  allSettings,
  certificateSettings,
  claimSettings,
  databaseSettings,
  deletionSettings,
  edgeSettings,
  exportSettings,
  importSettings,
  keySettings,
  loadDotEnv,
  mailServerSettings,
  maskPasswords,
  nameserverSettings,
  readConfig,
  readDatabaseConfig,
  readNameserverConfig,
  readPublicUrl,
  readTlsFiles,
  unknownVariables,
  tokenSettings,
  usageSettings,
  zoneSettings,
  type Config,
  type Source,
} from './config/config.js'
export type { Progress } from './commands/backup.js'
export type { WithPassword } from './commands/user.js'
export type {
  BlobOwner,
  BlobRow,
  Finding,
  ObjectFindings,
  RowFindings,
  Section,
  StoredFiles,
} from './commands/doctor/diagnose.js'
export type { ListedEvent, OperatorEvent } from './commands/events.js'
export type { Token } from './areas/account/tokens/rows.js'
export type { ShownKey } from './commands/token-tsig.js'
export type { ZoneUse } from './commands/dns-zones.js'
export type { SyncedZone } from './areas/dns/publishing/sync.js'
export type { CertificateState } from './commands/tls.js'
export type { FileState } from './commands/tls-files.js'
export type { Account } from './shared/account.js'
export { counted } from './shared/counted.js'
export { OperatorError } from './shared/operator-error.js'
export { escapeJson, escapeLine, escapeLines, ignoreStderrErrors, writeStderr } from './shared/terminal.js'
export { version } from './shared/version.js'

export const loadServer = () => import('./main.js')
export const loadNameserver = () => import('./nameserver/main.js')
export const loadAccountExportCommand = () => import('./commands/account-export.js')
export const loadAccountImportCommand = () => import('./commands/account-import.js')
export const loadEventCommands = () => import('./commands/events.js')
export const loadSetupCodeCommand = () => import('./commands/setup-code.js')
export const loadUserCommands = () => import('./commands/user.js')
export const loadUserDeleteCommand = () => import('./commands/user-delete.js')
export const loadUserEmailCommand = () => import('./commands/user-email.js')
export const loadUserLimitCommands = () => import('./commands/user-limit.js')
export const loadUserSuspendCommands = () => import('./commands/user-suspend.js')
export const loadUserShowCommand = () => import('./commands/user-show.js')
export const loadTsigCommand = () => import('./commands/token-tsig.js')
export const loadTokenCommands = () => import('./commands/token.js')
export const loadMailCommand = () => import('./commands/mail.js')
export const loadKeyCommands = () => import('./commands/key.js')
export const loadTlsCommands = () => import('./commands/tls.js')
export const loadTlsFiles = () => import('./commands/tls-files.js')
export const loadTlsImportCommand = () => import('./commands/tls-import.js')
export const loadDnsCommands = () => import('./commands/dns.js')
export const loadDnsKeyCommands = () => import('./commands/dns-keys.js')
export const loadDnsZonesCommands = () => import('./commands/dns-zones.js')
export const loadDnsHistoryCommands = () => import('./commands/dns-history.js')
export const loadZoneFileCommands = () => import('./commands/zone-file.js')
export const loadDnsAdoptCommand = () => import('./commands/dns-adopt.js')
export const loadDnsSyncCommand = () => import('./commands/dns-sync.js')
export const loadDoctorCommand = () => import('./commands/doctor/diagnose.js')
export const loadUpgradeCheck = () => import('./commands/doctor/upgrade.js')
export const loadBackupCommand = () => import('./commands/backup.js')
export const loadRestoreCommand = () => import('./commands/restore.js')
export const loadMoveCommand = () => import('./commands/move.js')
export const loadEdgeIngestCommand = () => import('./commands/edge-ingest.js')
