import type { RecordType } from '@svc/contract'

/** Types of records (RFC 1035, section 3.2.2, and IANA's dns-parameters), beside the ten that records are made of. */
export const typeCode = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  OPT: 41,
  DS: 43,
  SPF: 99,
  IXFR: 251,
  AXFR: 252,
  ANY: 255,
  CAA: 257,
} as const satisfies Record<RecordType | 'SOA' | 'OPT' | 'DS' | 'IXFR' | 'AXFR' | 'ANY', number>

const recordTypeOf = new Map<number, RecordType>(
  (['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS', 'SRV', 'CAA', 'PTR', 'SPF'] as const).map((type) => [
    typeCode[type],
    type,
  ]),
)

/** @throws for a type that no record has */
export function recordType(code: number): RecordType {
  const type = recordTypeOf.get(code)
  if (type === undefined) throw new RangeError(`No record has type ${code}.`)
  return type
}

/** Classes (RFC 1035, section 3.2.4). */
export const classIn = 1

/** Response codes (RFC 1035, section 4.1.1; RFC 6891, section 9). */
export const rcode = {
  noError: 0,
  formErr: 1,
  servFail: 2,
  nxDomain: 3,
  notImp: 4,
  refused: 5,
  badVers: 16,
} as const
