import type { RRsetRecord } from '../port.js'
import type { Bytes } from '../wire/bytes.js'

/**
 * All that svc knows about one type of DNS record. Values are canonical unless a comment says otherwise: names in lower
 * case, absolute, without the trailing dot, `.` alone for the root; the other fields as the type's file says.
 * The value does not include the priority: rdata.ts reads and writes it for all types.
 */
export interface RecordTypeRules {
  /** Number of the type (IANA, "Resource Record (RR) TYPEs"). */
  readonly code: number
  /** Whether the data begins with a number of 16 bits that the API has as a separate field, `priority`. */
  readonly hasPriority: boolean
  /** Whether the data ends in a name that may be compressed: only for types of RFC 1035 (RFC 3597, section 4). */
  readonly hasCompressibleName: boolean
  /**
   * Octets of the encoded value before the host whose addresses an answer adds (RFC 1035, section 3.3; RFC 2782). The
   * host ends the value. Undefined for types whose answers add no addresses.
   */
  readonly targetOffset: number | undefined

  /**
   * The canonical form of a value in any spelling that the API accepts.
   * @param given not empty
   * @throws ApiError `bad_request`
   */
  readonly canonicalize: (given: string) => string

  /**
   * A value that `parse` has returned, as a caller of the API would give it to `canonicalize`; if missing, the value itself.
   */
  readonly toGiven?: (value: string) => string

  /** Octets of the encoded value, names not compressed. May be too high, but not too low. */
  readonly size: (value: string) => number

  /**
   * Writes the value in wire format.
   * @param zone canonical; a compressible name in it ends in a pointer to it
   * @throws RangeError for a value that cannot be encoded
   */
  readonly encode: (to: Bytes, value: string, zone: string) => void

  /** Reads what `encode` has written, or well-formed octets of another program without compression. */
  readonly decode: (data: Buffer, zone: string) => string

  /** Octets of the encoded value before the name that ends it; undefined for values without a name. */
  readonly nameOffset: number | undefined

  /** Whether octets that another program has sent are an encoded value. Undefined for types whose value ends in a name. */
  readonly isWellFormed?: (data: Buffer) => boolean

  /** The value in presentation format (RFC 1035, section 5.1), all names absolute. */
  readonly format: (value: string) => string

  /** The same for PowerDNS, if it rejects some texts that `format` writes; `format` if missing. */
  readonly formatForPowerdns?: (value: string) => string

  /**
   * Parses presentation format. Different spellings of one value give the same result.
   * @param text without blanks at its ends
   * @returns undefined for a text that cannot be parsed
   */
  readonly parse: (text: string) => string | undefined

  readonly fields: ZoneFileFields

  /** Test data: records in the order of their encoded bytes. Every adapter of the dns port must serve them. */
  readonly examples: readonly RRsetRecord[]
}

/** Example records of a type that has no priority. */
export const withoutPriority = (...values: readonly string[]): RRsetRecord[] =>
  values.map((value) => ({ value, priority: null }))

/** The fields of a record in a zone file, including its priority. */
export interface ZoneFileFields {
  /** How many fields; `Infinity` for one or more. */
  readonly count: number
  /** Completes "MX takes …", with an example. */
  readonly description: string
  /** How many fields, from the first, are words and must not contain blanks; `Infinity` for all. */
  readonly words: number

  /**
   * The value as a caller of the API would give it.
   * @param fields `count` fields without the priority, without quotation marks, escapes not decoded
   * @param absolute completes a relative name
   */
  readonly toGiven: (fields: readonly string[], absolute: (name: string) => string) => string
}
