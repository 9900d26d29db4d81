const names = [
  'NOERROR',
  'FORMERR',
  'SERVFAIL',
  'NXDOMAIN',
  'NOTIMP',
  'REFUSED',
  'YXDOMAIN',
  'YXRRSET',
  'NXRRSET',
  'NOTAUTH',
]

/** A response code by its name (RFC 1035, section 4.1.1; RFC 2136, section 2.2), or its number. */
export const rcodeText = (code: number): string => names[code] ?? `RCODE ${String(code)}`
