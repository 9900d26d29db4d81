/** Serial number arithmetic (RFC 1982, section 3.2): whether `serial` is newer than `other`. */
export const isNewerSerial = (serial: number, other: number): boolean => ((serial - other) | 0) > 0
