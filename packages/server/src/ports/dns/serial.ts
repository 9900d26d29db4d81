/** Serial number arithmetic (RFC 1982, section 3.2): whether `serial` is newer than `other`. */
export const isNewerSerial = (serial: number, other: number): boolean => ((serial - other) | 0) > 0

/** The SOA serial after a change (RFC 1982): 32 bits, and never 0, which some secondaries read as "no serial". */
export const nextSerial = (serial: number): number => (serial >= 0xffff_ffff ? 1 : serial + 1)
