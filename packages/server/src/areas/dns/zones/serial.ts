/** The SOA serial after a change (RFC 1982): 32 bits, and never 0, which some secondaries read as "no serial". */
export const nextSerial = (serial: number): number => (serial >= 0xffff_ffff ? 1 : serial + 1)
