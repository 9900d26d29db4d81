import type { Kysely, Migration } from 'kysely'
import type { Dialect } from '../dialect.js'
import { foundation } from './0001-foundation.js'
import { dns } from './0002-dns.js'
import { zoneHolders } from './0003-zone-holders.js'
import { installation } from './0004-installation.js'
import { files } from './0005-files.js'
import { changeClocks } from './0006-change-clocks.js'
import { sites } from './0007-sites.js'
import { packages } from './0008-packages.js'
import { deployments } from './0009-deployments.js'
import { webhooks } from './0010-webhooks.js'
import { vault } from './0011-vault.js'
import { sms } from './0012-sms.js'
import { registrations } from './0013-registrations.js'
import { domains } from './0014-domains.js'
import { indexes } from './0015-indexes.js'
import { tokenNames } from './0016-token-names.js'
import { deletions } from './0017-deletions.js'
import { formerHolders } from './0018-former-holders.js'
import { days } from './0019-days.js'
import { jobRuns } from './0020-job-runs.js'
import { movedDatabases } from './0021-moved-databases.js'
import { nestedClaims } from './0022-nested-claims.js'
import { siteCompaction } from './0023-site-compaction.js'
import { slugsAndTurns } from './0024-slugs-and-turns.js'
import { signInFailures } from './0025-sign-in-failures.js'
import { uploadSizes } from './0026-upload-sizes.js'
import { webhookPauses } from './0027-webhook-pauses.js'
import { webhookAttempts } from './0028-webhook-attempts.js'
import { deletedMessages } from './0029-deleted-messages.js'
import { siteVersionNumbers } from './0030-site-version-numbers.js'
import { useHours } from './0031-use-hours.js'
import { tokenLimits } from './0032-token-limits.js'
import { tokenRules } from './0033-token-rules.js'
import { setupCode } from './0034-setup-code.js'
import { accountState } from './0035-account-state.js'
import { acmeChallenges } from './0036-acme-challenges.js'
import { certificates } from './0037-certificates.js'
import { certificateLeases } from './0038-certificate-leases.js'
import { accountCertificates } from './0039-account-certificates.js'
import { claimPages } from './0040-claim-pages.js'
import { nameserverProcesses } from './0041-nameserver-processes.js'
import { zoneChanges } from './0042-zone-changes.js'
import { accountEvents } from './0043-account-events.js'
import { mail } from './0044-mail.js'
import { operatorEvents } from './0045-operator-events.js'
import { accountWebhooks } from './0046-account-webhooks.js'
import { dnsKeys } from './0047-dns-keys.js'
import { updateKeys } from './0048-update-keys.js'
import { secondaries } from './0049-secondaries.js'
import { queryCounts } from './0051-query-counts.js'
import { ownSecondaries } from './0052-own-secondaries.js'
import { columnTypes, type MigrationStep } from './step.js'

const steps: Record<string, MigrationStep> = {
  '0001-foundation': foundation,
  '0002-dns': dns,
  '0003-zone-holders': zoneHolders,
  '0004-installation': installation,
  '0005-files': files,
  '0006-change-clocks': changeClocks,
  '0007-sites': sites,
  '0008-packages': packages,
  '0009-deployments': deployments,
  '0010-webhooks': webhooks,
  '0011-vault': vault,
  '0012-sms': sms,
  '0013-registrations': registrations,
  '0014-domains': domains,
  '0015-indexes': indexes,
  '0016-token-names': tokenNames,
  '0017-deletions': deletions,
  '0018-former-holders': formerHolders,
  '0019-days': days,
  '0020-job-runs': jobRuns,
  '0021-moved-databases': movedDatabases,
  '0022-nested-claims': nestedClaims,
  '0023-site-compaction': siteCompaction,
  '0024-slugs-and-turns': slugsAndTurns,
  '0025-sign-in-failures': signInFailures,
  '0026-upload-sizes': uploadSizes,
  '0027-webhook-pauses': webhookPauses,
  '0028-webhook-attempts': webhookAttempts,
  '0029-deleted-messages': deletedMessages,
  '0030-site-version-numbers': siteVersionNumbers,
  '0031-use-hours': useHours,
  '0032-token-limits': tokenLimits,
  '0033-token-rules': tokenRules,
  '0034-setup-code.additive': setupCode,
  '0035-account-state': accountState,
  '0036-acme-challenges.additive': acmeChallenges,
  '0037-certificates.additive': certificates,
  '0038-certificate-leases.additive': certificateLeases,
  '0039-account-certificates': accountCertificates,
  '0040-claim-pages.additive': claimPages,
  '0041-nameserver-processes.additive': nameserverProcesses,
  '0042-zone-changes': zoneChanges,
  '0043-account-events.additive': accountEvents,
  '0044-mail.additive': mail,
  '0045-operator-events.additive': operatorEvents,
  '0046-account-webhooks.additive': accountWebhooks,
  '0047-dns-keys.additive': dnsKeys,
  '0048-update-keys.additive': updateKeys,
  '0049-secondaries.additive': secondaries,
  '0051-query-counts.additive': queryCounts,
  '0052-own-secondaries.additive': ownSecondaries,
}

/** All migrations, as Kysely's Migrator expects them. A downgrade is not supported. */
export const migrations = (dialect: Dialect): Record<string, Migration> =>
  Object.fromEntries(
    Object.entries(steps).map(([name, step]) => [
      name,
      { up: (db: Kysely<unknown>) => step(db, columnTypes[dialect]) },
    ]),
  )

/** The names of all migrations, in their order. */
export const migrationNames: readonly string[] = Object.keys(steps)

/**
 * Whether a migration only adds, by the end of its name: `0031-mail.additive`. A version without it starts on the database, and knows
 * nothing else of it. So such a migration adds only new tables, indexes that are not unique, and columns that may be null or have a
 * default. A new table refers to other tables with `on delete cascade` or `on delete set null`, and its rows name no stored objects,
 * which the version without it would remove as orphans.
 */
export const isAdditive = (name: string): boolean => name.endsWith('.additive')
