import { recordTypeRules } from '../types/index.js'

/** Types that the nameserver itself treats in a particular way (RFC 1035, section 3.2.2, and IANA's dns-parameters). */
export const typeCode = {
  A: recordTypeRules.A.code,
  NS: recordTypeRules.NS.code,
  CNAME: recordTypeRules.CNAME.code,
  SOA: 6,
  AAAA: recordTypeRules.AAAA.code,
  OPT: 41,
  DS: 43,
  TSIG: 250,
  IXFR: 251,
  AXFR: 252,
  ANY: 255,
} as const

/** Classes (RFC 1035, section 3.2.4). */
export const classIn = 1

/** Response codes (RFC 1035, section 4.1.1; RFC 2136, section 2.2; RFC 8945, section 3; RFC 6891, section 9). */
export const rcode = {
  noError: 0,
  formErr: 1,
  servFail: 2,
  nxDomain: 3,
  notImp: 4,
  refused: 5,
  yxDomain: 6,
  yxRRset: 7,
  nxRRset: 8,
  notAuth: 9,
  notZone: 10,
  badVers: 16,
} as const

export type Rcode = (typeof rcode)[keyof typeof rcode]

/** Kinds of messages, as they are in the third octet of the header (RFC 1035, section 4.1.1; RFC 1996; RFC 2136). */
export const opcode = { query: 0, notify: 4 << 3, update: 5 << 3 } as const
