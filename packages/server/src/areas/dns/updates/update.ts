import type { RecordType } from '@svc/contract'
import type { RRsetRecord } from '../../../ports/dns/port.js'
import type { RuledRecord } from '../../../shared/rules.js'
import type { CanonicalRecord } from '../records/record.js'
import type { Rcode } from '../../../ports/dns/embedded/codes.js'

/** An UPDATE as svc understands it. All of it can be cloned by `structuredClone`. */

/** A condition on the zone (RFC 2136, section 2.4). Hosts are relative to the zone, in lower case. */
export type Prerequisite =
  /** It does not hold, whatever records the zone has. */
  | { readonly kind: 'fails'; readonly rcode: Rcode }
  | { readonly kind: 'name'; readonly host: string; readonly exists: boolean }
  | { readonly kind: 'rrset'; readonly host: string; readonly type: RecordType; readonly exists: boolean }
  /** The RRset has exactly these data. @property data of `dataOf`, without duplicates */
  | { readonly kind: 'data'; readonly host: string; readonly type: RecordType; readonly data: readonly string[] }
  /** The serial of the zone is this one. */
  | { readonly kind: 'serial'; readonly serial: number }

/** A change (RFC 2136, section 2.5). */
export type UpdateStep =
  | { readonly kind: 'add'; readonly record: CanonicalRecord }
  | ({ readonly kind: 'delete'; readonly host: string; readonly type: RecordType } & RRsetRecord)
  | { readonly kind: 'deleteRRset'; readonly host: string; readonly type: RecordType }
  | { readonly kind: 'deleteName'; readonly host: string }
  /** Adds an SOA at the apex, which is ignored unless its serial is newer (RFC 2136, section 3.4.2.2). */
  | { readonly kind: 'serial'; readonly serial: number }

export interface WantedUpdate {
  /** In the order in which they are checked. */
  readonly prerequisites: readonly Prerequisite[]
  /** In the order in which they are applied. */
  readonly steps: readonly UpdateStep[]
  /** The answer if the prerequisites hold; nothing is changed then. */
  readonly refusal: Refusal | undefined
}

export interface Refusal {
  readonly rcode: Rcode
  /** For the log: an answer of DNS has no text. */
  readonly reason: string
}

/** The records that an update asks about or names in its changes, for the rules of a token. */
export interface NamedRecords {
  readonly read: readonly RuledRecord[]
  readonly written: readonly RuledRecord[]
}

/** The data of a record as one text. */
export const dataOf = ({ value, priority }: RRsetRecord): string => `${priority ?? ''} ${value}`
