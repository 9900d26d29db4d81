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
  IXFR: 251,
  AXFR: 252,
  ANY: 255,
} as const

/** Classes (RFC 1035, section 3.2.4). */
export const classIn = 1

/** Response codes (RFC 1035, section 4.1.1; RFC 6891, section 9). */
export const rcode = { noError: 0, formErr: 1, servFail: 2, nxDomain: 3, notImp: 4, refused: 5, badVers: 16 } as const
