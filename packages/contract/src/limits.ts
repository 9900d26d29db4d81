/**
 * Constants of the contract that the server's rules also need. They have an entry point without schemas (`@svc/contract/limits`), because
 * loading the schemas would cost the writer thread 200 ms and 10 MB.
 */

/** Section 2.3 of the specification. */
export const recordTypes = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS', 'SRV', 'CAA', 'PTR', 'SPF'] as const
export type RecordType = (typeof recordTypes)[number]

/** Seconds (section 8). */
export const ttlMin = 60
export const ttlMax = 2592000
export const ttlDefault = 3600

/** Preference of MX (RFC 1035, section 3.3.9) and priority of SRV (RFC 2782) are 16 bits wide. */
export const priorityMax = 65535

/** In characters: the longest spelling of the longest value, with four characters for each byte of TXT data, and quotation marks. */
export const recordValueMaxLength = 320_000

/** The display name, in Unicode code points after trimming (section 8). */
export const nicknameMaxLength = 64
