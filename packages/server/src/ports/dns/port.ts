import type { RecordType } from '@svc/contract'

/** All records of one type at one name (RFC 2181, section 5), as the world shall see them. */
export interface RRset {
  /** Absolute, in lower case, without a trailing dot; the zone's own name for the apex. */
  readonly name: string
  readonly type: RecordType
  /** Seconds; one for all (RFC 2181, section 5.2). */
  readonly ttl: number
  /** Values in the canonical form of areas/dns; none takes the RRset away. */
  readonly records: readonly RRsetRecord[]
}

export interface RRsetRecord {
  readonly value: string
  /** Null but for MX and SRV. */
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
  readonly rrsets: readonly RRset[]
}

/**
 * Where zones are served from. The apex SOA and NS are the adapter's own: they follow the configured nameservers.
 * Every call is idempotent, ends within a deadline, and either takes effect whole or throws ApiError `upstream_error`
 * and changes nothing. Once `publish` has resolved, the next query sees the change.
 */
export interface Dns {
  /**
   * Whether the zones live in somebody else's server. Then a change is pushed before its rows are committed, under the
   * zone's lock, and pushed back when the commit fails; the embedded nameserver takes it over from the committed rows.
   */
  readonly external: boolean

  /** Makes a zone known, with what it holds. A zone that is known already is set to just this. */
  setZone(zone: Zone): Promise<void>

  publish(change: ZoneChange): Promise<void>

  /** What is being served, the adapter's own SOA and NS at the apex apart; undefined for a zone that is not known. */
  zone(name: string): Promise<readonly RRset[] | undefined>

  /** Resolves when it can serve. @throws when it cannot */
  ping(): Promise<void>

  close(): Promise<void>
}
