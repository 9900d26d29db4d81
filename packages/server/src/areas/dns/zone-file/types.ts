import type { RecordType } from '@svc/contract'
import { recordTypeByCode } from '../../../ports/dns/types/index.js'
import { quoted } from '../../../shared/quoted.js'
import { lineError } from './rdata.js'

const names = new Map(Array.from(recordTypeByCode.values(), (type) => [type as string, type]))

/** Further types in zone files (IANA, "Resource Record (RR) TYPEs"), and two that only some nameservers know. */
const known = new Set(
  (
    'SOA DNSKEY RRSIG NSEC NSEC3 NSEC3PARAM DS CDS CDNSKEY DLV KEY SIG NXT TA ZONEMD CSYNC ' +
    'TLSA SMIMEA OPENPGPKEY SSHFP CERT IPSECKEY HIP DHCID HTTPS SVCB NAPTR URI DNAME APL LOC HINFO RP AFSDB RT X25 ISDN ' +
    'MB MD MF MG MR MINFO NULL WKS NSAP NSAP-PTR PX GPOS EID NIMLOC ATMA KX A6 SINK RKEY TALINK NINFO NID L32 L64 LP ' +
    'EUI48 EUI64 AVC DOA AMTRELAY RESINFO WALLET CLA IPN DSYNC CAAA UINFO UID GID UNSPEC ALIAS ANAME'
  ).split(' '),
)

/** A type that svc serves, or another one, which the import skips. */
export type FoundType =
  | { readonly type: RecordType; readonly other?: never }
  | { readonly type?: never; readonly other: string }

/** @throws ApiError `bad_request` for an unknown type: a typing error must not skip a record */
export function typeOf(text: string): FoundType {
  const name = text.toUpperCase()
  // RFC 3597, section 5: `TYPE16` is TXT.
  const number = /^TYPE(\d{1,5})$/.exec(name)?.[1]
  const type = number === undefined ? names.get(name) : recordTypeByCode.get(Number(number))
  if (type !== undefined) return { type }
  if (number !== undefined || known.has(name)) return { other: name }
  throw lineError(`${quoted(text)} is not a record type; the platform has ${[...names.keys()].join(', ')}.`)
}
