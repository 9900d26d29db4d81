import { canonicalName } from '../presentation/name.js'
import type { Bytes } from './bytes.js'
import { isWithin, textOf } from './names.js'

/** Names at the end of RDATA, as the nameserver stores it. */

/** Replaces the name of the zone at the end of a name. The answer replaces it with a pointer to that name in its message. */
export const pointerToApex = 0xc00c

/**
 * Writes a name that may be compressed. In the zone it ends in `pointerToApex`.
 * @throws RangeError for an invalid name
 */
export function encodeCompressibleName(to: Bytes, zone: string, name: string): void {
  const target = canonicalName(name)
  if (target !== zone && !isWithin(zone, target)) {
    to.name(name)
    return
  }
  to.labels(target === zone ? '' : target.slice(0, -zone.length - 1))
  to.u16(pointerToApex)
}

/** Reads a name, compressed or not, that extends to the end of the RDATA. The root is a single dot. */
export function decodeName(rdata: Buffer, zone: string, from = 0): string {
  // A complete name ends in a zero octet. A pointer to the apex does not.
  if (rdata.at(-1) === 0) return textOf(rdata.toString('latin1', from, rdata.length - 1)) || '.'
  const labels = textOf(rdata.toString('latin1', from, rdata.length - 2))
  return labels === '' ? zone : `${labels}.${zone}`
}
