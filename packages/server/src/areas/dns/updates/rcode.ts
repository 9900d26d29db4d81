/** Response codes of an UPDATE (RFC 2136, section 2.2). */
export const rcode = {
  noError: 0,
  formErr: 1,
  servFail: 2,
  nxDomain: 3,
  refused: 5,
  yxDomain: 6,
  yxRRset: 7,
  nxRRset: 8,
  notAuth: 9,
  notZone: 10,
} as const

export type Rcode = (typeof rcode)[keyof typeof rcode]
