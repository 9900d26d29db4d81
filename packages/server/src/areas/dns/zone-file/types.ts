import type { RecordType } from '@svc/contract'
import { quoted } from '../../../shared/quoted.js'
import { wrong } from './rdata.js'

/** Types by number (RFC 3597, section 5, has `TYPE16` for TXT), those that the platform serves. */
const served: Readonly<Record<number, RecordType>> = {
  1: 'A',
  2: 'NS',
  5: 'CNAME',
  12: 'PTR',
  15: 'MX',
  16: 'TXT',
  28: 'AAAA',
  33: 'SRV',
  99: 'SPF',
  257: 'CAA',
}

const names = new Map(Object.values(served).map((type) => [type as string, type]))

/** The others that zone files have (IANA, "Resource Record (RR) TYPEs"), and two of nameservers' own making. */
const known = new Set(
  (
    'SOA DNSKEY RRSIG NSEC NSEC3 NSEC3PARAM DS CDS CDNSKEY DLV KEY SIG NXT TA ZONEMD CSYNC ' +
    'TLSA SMIMEA OPENPGPKEY SSHFP CERT IPSECKEY HIP DHCID HTTPS SVCB NAPTR URI DNAME APL LOC HINFO RP AFSDB RT X25 ISDN ' +
    'MB MD MF MG MR MINFO NULL WKS NSAP NSAP-PTR PX GPOS EID NIMLOC ATMA KX A6 SINK RKEY TALINK NINFO NID L32 L64 LP ' +
    'EUI48 EUI64 AVC DOA AMTRELAY RESINFO WALLET CLA IPN DSYNC CAAA UINFO UID GID UNSPEC ALIAS ANAME'
  ).split(' '),
)

/** A type of the platform's, or one to pass over. */
export type FoundType =
  { readonly type: RecordType; readonly other?: never } | { readonly type?: never; readonly other: string }

/** @throws ApiError `bad_request` for what is no type: a slip of the hand must not cost a record */
export function typeOf(text: string): FoundType {
  const name = text.toUpperCase()
  const number = /^TYPE(\d{1,5})$/.exec(name)?.[1]
  const type = number === undefined ? names.get(name) : served[Number(number)]
  if (type !== undefined) return { type }
  if (number !== undefined || known.has(name)) return { other: name }
  throw wrong(`${quoted(text)} is no record type; the platform has ${[...names.keys()].join(', ')}.`)
}
