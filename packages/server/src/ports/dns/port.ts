import type { RecordType } from '@svc/contract'
import { ApiError } from '@svc/contract/errors'
import type { Deadline } from './deadline.js'
import type { ProtocolHandlers, Protocols } from './protocol/messages.js'
import type { QueryCounts } from './query-counts.js'
import type { SecondariesOptions } from './transfers/options.js'

/** All records of one type at one name (RFC 2181, section 5). */
export interface RRset {
  /** Absolute, in lower case, without a trailing dot; the zone's own name for the apex. */
  readonly name: string
  readonly type: RecordType
  /** Seconds; one for all (RFC 2181, section 5.2). */
  readonly ttl: number
  /** Values in canonical form (types/record-type.ts); without records the RRset is removed. */
  readonly records: readonly RRsetRecord[]
}

export interface RRsetRecord {
  readonly value: string
  /** Null for types without a priority. */
  readonly priority: number | null
}

/** A change of a zone: the new state of the changed RRsets. */
export interface ZoneChange {
  readonly zone: string
  /** The SOA serial after the change. Every change increases it (RFC 1982). */
  readonly serial: number
  readonly rrsets: readonly RRset[]
}

/** The whole contents of a zone. */
export interface Zone {
  readonly zone: string
  readonly serial: number
  /** Id of the account whose claim on the zone is verified; null or absent while the zone is released. */
  readonly holder?: number | null
  /** Id of the account whose records are served, also while the zone is released; null or absent for none. */
  readonly owner?: number | null
  /** The RRsets may already have changes up to this serial, which were made while they were read. By default `serial`. */
  readonly latest?: number
  readonly rrsets: readonly RRset[]
}

/**
 * Serves zones. The adapter adds the SOA and NS records at the apex, which follow the configured nameservers.
 * Every call is idempotent, ends within a deadline, and either takes full effect or throws ApiError `upstream_error`
 * and changes nothing. Once `publish` has resolved, the next query sees the change. An external provider sends no request
 * after the given deadline; without a deadline, each of its requests has a separate timeout.
 */
export interface Dns {
  /**
   * Whether another server holds the zones. Then a change is published before its rows are committed, under the zone's
   * lock, and the former state is restored if the commit fails. The embedded nameserver is updated after the commit.
   */
  readonly isExternal: boolean

  /** The addresses on which the nameserver of this process listens, for UDP and TCP; undefined for an external provider. */
  readonly addresses?: readonly { readonly host: string; readonly port: number }[]

  /** Sets the keys and handlers of transfers, updates and signed messages; undefined for an external provider. */
  readonly answerProtocols?: (protocols: Protocols) => void

  /** What the nameserver of this process has answered; undefined for an external provider, which has its own statistics. */
  readonly queryCounts?: QueryCounts

  /**
   * Serves secondaries: transfers, NOTIFY and the catalog. Called once; undefined for an external provider.
   * @returns the handlers of their messages
   */
  readonly serveSecondaries?: (options: SecondariesOptions) => Pick<ProtocolHandlers, 'transfer' | 'answer'>

  /** Creates a zone, or replaces the whole contents of an existing one. */
  setZone(zone: Zone, deadline?: Deadline): Promise<void>

  /**
   * The same for a zone that another process has changed: RRsets that cannot be served are left out and logged, as at the start. Undefined
   * for an external provider.
   */
  readonly loadZone?: (zone: Zone) => Promise<void>

  /** Replaces the given RRsets of a zone; an RRset without records is removed. @throws ApiError `upstream_error` for an unknown zone */
  publish(change: ZoneChange, deadline?: Deadline): Promise<void>

  /** Removes a zone with all its records. A no-op for an unknown zone. @param serial of the deletion: a newer zone stays */
  removeZone(zone: string, serial: number, deadline?: Deadline): Promise<void>

  /** The served RRsets of a zone, without the adapter's SOA and NS at the apex; undefined for an unknown zone. */
  zone(name: string, deadline?: Deadline): Promise<readonly RRset[] | undefined>

  /** Resolves if the adapter can serve. @throws ApiError `upstream_error` if it cannot */
  ping(): Promise<void>

  close(): Promise<void>
}

/**
 * An external provider, which may also hold zones that svc does not manage. Zones that svc creates are marked as this
 * installation's. `setZone` also marks a zone without a mark, and throws `upstream_error` for one of another installation.
 */
export interface DnsProvider extends Dns {
  readonly isExternal: true

  /** The names of all zones of the provider, also of those without svc's mark, in lower case, without a trailing dot. */
  zoneNames(): Promise<readonly string[]>

  /** Which installation a zone is marked as. */
  markOf(zone: string, deadline?: Deadline): Promise<ZoneMark>

  /** Marks a zone as this installation's, also if it has another mark. The contents of the zone do not change. */
  mark(zone: string, deadline?: Deadline): Promise<void>

  /** The current contents of a zone, which an account can adopt; undefined for an unknown zone. */
  inventory(zone: string, deadline?: Deadline): Promise<Inventory | undefined>

  /** How the provider's zone differs from the given one. */
  drift(zone: Zone): Promise<Drift>
}

/** `own`: of this installation; `other`: of another installation of svc; `none`: no mark of svc; `missing`: no such zone. */
export type ZoneMark = 'own' | 'other' | 'none' | 'missing'

export interface Inventory {
  /** The zone's RRsets of managed types, without the SOA and NS at the apex. */
  readonly rrsets: readonly RRset[]
  /** Records of managed types whose content cannot be parsed. */
  readonly unreadable: readonly { readonly name: string; readonly type: string; readonly content: string }[]
  /** RRsets of types that svc does not manage. */
  readonly unmanaged: readonly { readonly name: string; readonly type: string }[]
}

export interface Drift {
  /** The provider does not have the zone. */
  readonly missing: boolean
  /** Which installation the zone is marked as. */
  readonly mark: ZoneMark
  /** Includes the SOA and NS at the apex. */
  readonly differences: readonly Difference[]
  /** The provider is configured not to increase the SOA serial with each change. */
  readonly keepsSerial: boolean
  /** RRsets of types that svc does not manage: it never changes them. */
  readonly unmanaged: readonly { readonly name: string; readonly type: string }[]
}

/** The repair that one RRset needs. */
export interface Difference {
  readonly action: 'add' | 'change' | 'remove'
  readonly name: string
  readonly type: string
}

export const isProvider = (dns: Dns): dns is DnsProvider => dns.isExternal

/** The provider failed. @param problem without a full stop: `it cannot be reached` */
export class ProviderFailed extends ApiError {
  constructor(problem: string, zone?: string) {
    super('upstream_error', `The DNS provider failed: ${problem}.`, zone === undefined ? {} : { zone })
  }
}

/** A provider failed during a change, which may or may not have taken effect: the former state must be restored. */
export class OutcomeUnknown extends ProviderFailed {}
