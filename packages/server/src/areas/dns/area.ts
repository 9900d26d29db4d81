import type { Logger } from 'pino'
import type { Area } from '../../http/area.js'
import type { KeyStore, ProtocolHandlers } from '../../ports/dns/protocol/messages.js'
import type { Vault } from '../../ports/vault/port.js'
import type { Authenticate } from '../../shared/account.js'
import type { HostRecords } from '../../shared/host-records.js'
import type { DnsChallenges } from './publishing/dns-challenges.js'
import { dnsOverview } from './claims/overview-store.js'
import { operatorZones, type OperatorNames } from './claims/operator-zones.js'
import { reservedStore } from './claims/reserved-store.js'
import { historyRetention, type HistoryLimits } from './history/retention.js'
import { dnsHandlers, type DnsDependencies } from './handlers.js'
import { ownSecondaries } from './secondaries/own-secondaries.js'
import { operatorKeys } from './keys/operator-keys.js'
import type { Publisher } from './publisher.js'
import { logRestoreFailed } from './publishing/restore-failed.js'
import { queryRetention } from './queries/query-count-store.js'
import { dnsSearch } from './records/search-store.js'
import { selectFollower } from './publishing/select.js'
import { zoneStore } from './publishing/zone-store.js'
import { throttledLog } from '../../shared/throttled-log.js'
import { updateRoutes } from './dynamic/routes.js'
import { secondaryHandlers, type SecondariesDependencies } from './transfers/secondaries.js'
import { pathZone } from './zones/name.js'

interface DnsAreaDependencies
  extends
    Omit<DnsDependencies, 'isOperatorZone' | 'notePublished' | 'reportRestoreFailed' | 'reportUpdateFailed' | 'log'>,
    HistoryLimits,
    Pick<SecondariesDependencies, 'secondaries' | 'catalog'> {
  readonly log: Logger
  readonly vault: Vault
  readonly operatorNames: OperatorNames
  /** The position up to which the nameserver has loaded changes of zones. */
  readonly loadedPosition: string
  /** For updates of addresses, by a token and by its update key. */
  readonly authenticateToken: Authenticate
  readonly authenticateUpdateKey: Authenticate
}

interface DnsArea extends Area<'dns'> {
  /** For areas that serve hosts of zones. */
  readonly hostRecords: HostRecords
  /** For the removal of accounts. */
  readonly removal: Pick<Publisher, 'removeFromZone'>
  /** The operator's keys that sign DNS messages. */
  readonly keys: KeyStore
  /** Answers transfers and updates. */
  readonly protocols: ProtocolHandlers
  /** For orders of certificates. */
  readonly challenges: DnsChallenges
}

/** Zones and their records. */
export async function dnsArea({ log, operatorNames, loadedPosition, ...parts }: DnsAreaDependencies): Promise<DnsArea> {
  const { database, dns } = parts
  const reserved = operatorZones(operatorNames)
  for (const { zone, email } of await reservedStore(database).unconfirmed(reserved))
    log.warn(
      { zone, account: email },
      "an account holds a zone of the server's own names, but has not proven control: svc dns assign gives it to the right account",
    )
  const { noteLoaded } = parts.nameserverProcess ?? { noteLoaded: () => Promise.resolve() }
  const follower = selectFollower(dns, { zones: zoneStore(database), since: loadedPosition, noteLoaded, log })
  const reportUpdateFailed = throttledLog(log, 'an update of addresses failed')
  const { updateAddresses, ...handlers } = dnsHandlers({
    ...parts,
    log,
    isOperatorZone: reserved.has,
    notePublished: follower?.notePublished,
    reportRestoreFailed: logRestoreFailed(log),
    reportUpdateFailed,
  })
  const keys = operatorKeys(database, parts.vault)
  const own = ownSecondaries({ ...parts, keys: parts.accountKeys, log })
  return {
    ...handlers,
    keys,
    protocols: { ...handlers.protocols, ...secondaryHandlers({ ...parts, accounts: own.secondaries, keys }) },
    overview: dnsOverview(database),
    search: dnsSearch(database),
    apiTexts: updateRoutes({ ...parts, update: updateAddresses, report: reportUpdateFailed }),
    thingNames: { zone: (_, given) => pathZone(String(given)) },
    jobs: [
      ...(follower === undefined ? [] : [follower.job]),
      handlers.challenges.job,
      historyRetention(database, parts),
      queryRetention(database),
      ...(dns.isExternal ? [] : [own.job]),
      ...(handlers.countSaving ? [handlers.countSaving.job] : []),
    ],
    close: async () => {
      await handlers.countSaving?.close()
      await own.close()
    },
  }
}
