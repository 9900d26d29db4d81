/**
 * Maximum octets of one RRset. A DNS message has at most 65535 octets (RFC 1035, section 4.2.2), and an answer has a whole
 * RRset or none. The difference is for the header, the question, EDNS and a few aliases that lead to the RRset.
 */
export const rrsetMaxBytes = 64_000

/** Octets of a record without its data: a compressed name, type, class, ttl and length (RFC 1035, sections 3.2.1 and 4.1.4). */
export const recordOverhead = 12
