/** The SOA serial after a change (RFC 1982): 32 bits, and never 0, which some secondaries take for "none". */
export const nextSerial = (serial: number): number => (serial >= 0xffff_ffff ? 1 : serial + 1)
