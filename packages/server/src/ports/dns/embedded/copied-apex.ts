import type { Apex } from './apex-records.js'
import type { Reply, Section } from './reply.js'
import type { Stored } from './stored.js'
import type { ZoneMap } from './zone-map.js'

/** The SOA and NS records of copies: each zone has its own, as its primary nameserver has sent them. */
export const copiedApex: Apex = {
  nsOf: ({ apex }) => apex?.ns,

  putSoa(reply: Reply, section: Section, at: number, { name, apex }: ZoneMap): number {
    if (apex === undefined) throw new Error(`The copy of ${name} has no SOA.`)
    const { soa } = apex
    const from = reply.put(section, soa, at, at)
    // In the authority section, its TTL is how long the negative answer may be cached (RFC 2308, section 3).
    if (from >= 0 && section === 'authority') reply.patch32(from + ttlOffset, Math.min(ttlOf(soa), minimumOf(soa)))
    return from
  },
}

/** Octets of a record before its TTL. */
const ttlOffset = 6

const ttlOf = ({ bytes, start }: Stored): number => bytes.readUInt32BE(start + ttlOffset)

/** MINIMUM, the last field of an SOA; limited to what `patch32` writes. */
const minimumOf = ({ bytes, end }: Stored): number => Math.min(bytes.readUInt32BE(end - 4), 0x7fff_ffff)
