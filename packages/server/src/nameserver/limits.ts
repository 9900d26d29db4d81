/** Limits for input from the primary nameserver. It is not trusted: they bound memory and time. */
export const limits = {
  /** Octets of one transfer. */
  transferBytes: 32 * 1024 * 1024,
  /** Records of one transfer. A zone has at most this many, and the catalog half as many zones. */
  transferRecords: 500_000,
  /** Octets after which a transfer is large. Only one large transfer goes on at a time. */
  largeBytes: 1024 * 1024,
  /** RRsets that an incremental transfer may change. Beyond that, the whole zone is transferred, which is applied in slices. */
  changedSets: 2_000,
  /** Transfers at a time. */
  transfers: 4,
  /** Questions for serials at a time. */
  polls: 64,
  /** Milliseconds between two checks for zones that are due. */
  tickMs: 500,
  /** Milliseconds until a zone without a copy is asked for again, doubled with each failure. */
  firstRetryMs: 2_000,
  /** Milliseconds for a connection to open. */
  connectMs: 5_000,
  /** Milliseconds between two messages of an answer over TCP. */
  idleMs: 10_000,
  /** Milliseconds for a whole transfer. */
  transferMs: 300_000,
  /** Milliseconds to wait for an answer over UDP, one value for each attempt. */
  udpMs: [1_000, 2_000],
} as const

export type Limits = {
  readonly [K in keyof typeof limits]: (typeof limits)[K] extends number ? number : readonly number[]
}
