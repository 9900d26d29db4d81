import type { RecordType } from '@svc/contract'
import { ApiError, type ErrorExtra } from '@svc/contract/errors'
import type { Deadline } from './deadline.js'

/** All records of one type at one name (RFC 2181, section 5), as the world shall see them. */
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

/** What stands in a zone after a change: only the RRsets that the change touched. */
export interface ZoneChange {
  readonly zone: string
  /** The SOA serial after the change: moves forward with every change. */
  readonly serial: number
  readonly rrsets: readonly RRset[]
}

/** A zone as a whole. */
export interface Zone {
  readonly zone: string
  readonly serial: number
  /** Id of the account whose claim on the zone is verified; null or absent while the zone is released. */
  readonly holder?: number | null
  readonly rrsets: readonly RRset[]
}

/**
 * Where zones are served from. The apex SOA and NS are the adapter's own: they follow the configured nameservers.
 * Every call is idempotent, ends within a deadline, and either takes effect whole or throws ApiError `upstream_error`
 * and changes nothing. Once `publish` has resolved, the next query sees the change. An external provider sends nothing once
 * the deadline that it is given is over; without one, each of its requests has its own.
 */
export interface Dns {
  /**
   * Whether the zones live in somebody else's server. Then a change is pushed before its rows are committed, under the
   * zone's lock, and pushed back when the commit fails; the embedded nameserver takes it over from the committed rows.
   */
  readonly external: boolean

  /** Makes a zone known, with what it holds. A zone that is known already is set to just this. */
  setZone(zone: Zone, deadline?: Deadline): Promise<void>

  publish(change: ZoneChange, deadline?: Deadline): Promise<void>

  /** What is being served, the adapter's own SOA and NS at the apex apart; undefined for a zone that is not known. */
  zone(name: string, deadline?: Deadline): Promise<readonly RRset[] | undefined>

  /** Resolves when it can serve. @throws when it cannot */
  ping(): Promise<void>

  close(): Promise<void>
}

/**
 * An external provider, whose zones need not all be svc's. Zones that svc creates are marked as this installation's.
 * `setZone` also marks a zone that has no mark, and throws `upstream_error` for one of another installation.
 */
export interface DnsProvider extends Dns {
  readonly external: true

  /** Every zone it has, whoever made it: in lower case, without a trailing dot. */
  zoneNames(): Promise<readonly string[]>

  /** Whose mark a zone has. */
  markOf(zone: string, deadline?: Deadline): Promise<ZoneMark>

  /** Marks a zone as this installation's, also where it has another mark. The rest of the zone stays as it is. */
  mark(zone: string, deadline?: Deadline): Promise<void>

  /** The current contents of a zone, for an account to take over; undefined for an unknown zone. */
  inventory(zone: string, deadline?: Deadline): Promise<Inventory | undefined>

  /** Where what it holds differs from what the zone is to hold. */
  drift(zone: Zone): Promise<Drift>
}

/** `own`: of this installation; `other`: of another installation of svc; `none`: no mark of svc; `missing`: no such zone. */
export type ZoneMark = 'own' | 'other' | 'none' | 'missing'

export interface Inventory {
  /** Its RRsets of managed types, the SOA and NS at the apex apart. */
  readonly rrsets: readonly RRset[]
  /** Records of managed types whose content cannot be parsed. */
  readonly unreadable: readonly { readonly name: string; readonly type: string; readonly content: string }[]
  /** RRsets of types that svc does not manage. */
  readonly unmanaged: readonly { readonly name: string; readonly type: string }[]
}

export interface Drift {
  /** It does not have the zone at all. */
  readonly missing: boolean
  /** Whose mark the zone has. */
  readonly mark: ZoneMark
  /** The apex SOA and NS included. */
  readonly differences: readonly Difference[]
  /** The SOA serial would not move with a change. */
  readonly keepsSerial: boolean
  /** RRsets of types that svc does not manage: left alone. */
  readonly unmanaged: readonly { readonly name: string; readonly type: string }[]
}

/** What has to be done to one RRset. */
export interface Difference {
  readonly action: 'add' | 'change' | 'remove'
  readonly name: string
  readonly type: string
}

export const isProvider = (dns: Dns): dns is DnsProvider => dns.external

/** A provider failed in the midst of a change, which it may have made or not: it has to be given back what it had. */
export class OutcomeUnknown extends ApiError {
  constructor(message: string, extra: ErrorExtra) {
    super('upstream_error', message, extra)
  }
}
