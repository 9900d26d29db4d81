import type { Areas, ConsoleAreas } from '@svc/contract'
import type { Logger } from 'pino'
import type { Database } from '../../db/port.js'
import type { Handlers } from '../../http/handler.js'
import type { Dns } from '../../ports/dns/port.js'
import type { AccountKeyStore, ProtocolHandlers } from '../../ports/dns/protocol/messages.js'
import { nameAddresses } from '../../ports/outbound/name-addresses.js'
import type { AreReachable } from '../../ports/outbound/public-networks.js'
import type { Resolver } from '../../ports/resolver/port.js'
import type { DiskSpace } from '../../ports/space/port.js'
import type { NameserverProcess } from './publishing/nameserver-process.js'
import { dnsChallenges, type DnsChallenges } from './publishing/dns-challenges.js'
import { seenAtNameservers } from './publishing/nameserver-views.js'
import { delegationHandlers } from './claims/delegation.js'
import { claimHandlers } from './claims/handlers.js'
import type { HostRecords } from '../../shared/host-records.js'
import type { Publisher, ReportRestoreFailed } from './publisher.js'
import { selectPublisher } from './publishing/select.js'
import { dnsStores } from './stores.js'
import type { NotePublished } from './publishing/zone-follower.js'
import { requestZoneLock } from './publishing/zone-lock.js'
import { updateHandler } from './updates/update-handler.js'
import { zoneFileHandlers } from './zone-file/handlers.js'
import { historyHandlers } from './history/handlers.js'
import { knownHosts } from './dynamic/known-hosts.js'
import { addressUpdater, type UpdateAddresses } from './dynamic/update-addresses.js'
import { updateLimit } from './dynamic/update-limit.js'
import { queryHandlers } from './queries/handlers.js'
import { countSaving, type CountSaving } from './queries/save-counts.js'
import { secondaryHandlers } from './secondaries/handlers.js'
import { recordHandlers } from './records/handlers.js'
import { hostRecords } from './records/host-records.js'

export interface DnsDependencies {
  readonly database: Database
  readonly space: Pick<DiskSpace, 'requireForChange'>
  /** Logs an error of an update of addresses. */
  readonly reportUpdateFailed: (error: unknown) => void
  readonly log: Logger
  readonly dns: Dns
  readonly resolver: Resolver
  /** The keys of accounts that sign DNS messages. */
  readonly accountKeys: AccountKeyStore
  /** Whether svc may send to addresses that users choose. */
  readonly areReachable: AreReachable
  /** Names for `expected_ns`. */
  readonly nameservers: readonly string[]
  /** For the SOA record of exported zones; undefined for the default. */
  readonly hostmaster: string | undefined
  /** How much a zone may hold. */
  readonly recordsMax: number
  readonly zoneBytesMax: number
  /** How many zones an account may claim. */
  readonly zonesMax: number
  /** Whether a zone counts as claimed by the operator. */
  readonly isOperatorZone: (zone: string) => boolean
  /** Both are undefined for an external provider. */
  readonly nameserverProcess: NameserverProcess | undefined
  readonly notePublished: NotePublished | undefined
  readonly reportRestoreFailed: ReportRestoreFailed
}

/** Zones and their records (specification, section 4.4), and the records that other areas keep. */
export function dnsHandlers(dependencies: DnsDependencies): {
  readonly handlers: Handlers<Areas['dns']>
  readonly console: { readonly dns: Handlers<ConsoleAreas['dns']> }
  readonly hostRecords: HostRecords
  readonly removal: Pick<Publisher, 'removeFromZone'>
  readonly challenges: DnsChallenges
  readonly updateAddresses: UpdateAddresses
  /** Undefined for an external provider. */
  readonly countSaving: CountSaving | undefined
  readonly protocols: Pick<ProtocolHandlers, 'update'>
} {
  const {
    database,
    dns,
    resolver,
    nameservers,
    isOperatorZone,
    nameserverProcess,
    notePublished,
    reportRestoreFailed,
    log,
  } = dependencies
  const stores = dnsStores(database, dependencies)
  const { imports, records, queryCounts } = stores
  const { requireVerified } = records
  const withZoneLock = requestZoneLock(database.withLock)
  const seen = seenAtNameservers({ nameservers, addressesOf: nameAddresses() })
  const publisher = selectPublisher(dns, { stores, withZoneLock, notePublished, reportRestoreFailed })
  return {
    handlers: {
      ...claimHandlers({ claims: stores.claims, publisher, resolver, nameservers, isOperatorZone }),
      ...recordHandlers(records, publisher, imports.records),
      ...historyHandlers({ stores, publisher }),
      ...secondaryHandlers({
        ...dependencies,
        keys: dependencies.accountKeys,
        secondaries: stores.secondaries,
        isServing: !dns.isExternal,
      }),
      ...queryHandlers({ queryCounts, requireVerified, isCounting: !dns.isExternal }),
      ...zoneFileHandlers({ ...dependencies, imports, requireVerified, publisher }),
    },
    console: { dns: delegationHandlers({ requireVerified, resolver, nameservers }) },
    hostRecords: hostRecords(records, publisher),
    removal: publisher,
    updateAddresses: addressUpdater({
      hosts: knownHosts(database),
      publisher,
      isWithinLimit: updateLimit(),
      requireSpace: dependencies.space.requireForChange,
      report: dependencies.reportUpdateFailed,
    }),
    protocols: { update: updateHandler({ ...dependencies, records, publisher }) },
    challenges: dnsChallenges({ stores, dns, withZoneLock, seenAtNameservers: seen, nameserverProcess, log }),
    countSaving: dns.queryCounts && countSaving(dns.queryCounts, queryCounts, log),
  }
}
