import { createHash } from 'node:crypto'
import type { Database } from '../../../db/port.js'
import { apex, type ApexSettings } from '../../../ports/dns/apex.js'
import type { AccountSecondaries, Secondary, TransferKind } from '../../../ports/dns/transfers/options.js'
import type { Dns } from '../../../ports/dns/port.js'
import type { KeyStore, ProtocolHandlers } from '../../../ports/dns/protocol/messages.js'
import { publishedStore } from './published-store.js'

export interface SecondariesDependencies {
  readonly database: Database
  readonly dns: Pick<Dns, 'serveSecondaries' | 'queryCounts'>
  /** Those to tell about changes; undefined for none. */
  readonly secondaries: readonly Secondary[] | undefined
  /** Those that accounts have named. */
  readonly accounts: AccountSecondaries
  /** The name of the catalog. */
  readonly catalog: string
  readonly keys: KeyStore
}

/** How the counts of a zone name the end of a transfer. One that fails is asked for again. */
const countedAs: Readonly<Record<TransferKind, 'transfers' | 'refused' | undefined>> = {
  axfr: 'transfers',
  ixfr: 'transfers',
  current: 'transfers',
  refused: 'refused',
  failed: undefined,
}

/** Serves secondaries. @returns the handlers of their messages; none for an external provider, which has its own transfers */
export function secondaryHandlers({
  database,
  dns,
  secondaries = [],
  accounts,
  catalog: name,
  keys,
}: SecondariesDependencies): Pick<ProtocolHandlers, 'transfer' | 'answer'> {
  const { serialOf } = publishedStore(database)
  const handlers = dns.serveSecondaries?.({
    secondaries,
    accounts,
    keyOf: (key) => keys.byName(key),
    catalog: { name, serialOf: (digest) => serialOf(name, digest) },
    count: {
      transfer: (kind, zone, transport) => {
        const counted = countedAs[kind]
        if (counted !== undefined) dns.queryCounts?.count(zone, counted, transport)
      },
      notify: () => undefined,
    },
  })
  return handlers ?? {}
}

/**
 * Gives all zones a new serial if the settings of their SOA and NS records have changed since the last start: a secondary does not look at
 * the records while the serial is the same. For the embedded nameserver, before it loads the zones.
 */
export const publishApexSettings = (database: Database, { nameservers, hostmaster }: ApexSettings): Promise<void> =>
  publishedStore(database).publishApex(
    createHash('sha256')
      .update(JSON.stringify([nameservers, hostmaster ?? null, apex]))
      .digest('hex'),
  )
