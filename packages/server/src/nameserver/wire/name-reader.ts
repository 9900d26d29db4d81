import { nameMax, nextLabel } from '../../ports/dns/wire/names.js'
import { RefusedAnswer } from './refused-answer.js'

const labelMax = 63

const malformed = () => new RefusedAnswer('A name in the answer is malformed.')

/** Reads names of messages (RFC 1035, section 4.1.4). One object is used for all names: its name is valid until the next `read`. */
export class NameReader {
  /** The name in lower case, uncompressed, without the root label. */
  private readonly octets = Buffer.alloc(nameMax)
  private length = 0

  /**
   * @param end the name and its pointer must end before this offset
   * @returns the offset after the name
   * @throws RefusedAnswer for a malformed name
   */
  read(packet: Buffer, from: number, end: number): number {
    this.length = 0
    let after = -1
    let segment = from
    for (let at = from; ;) {
      const octet = at < (after < 0 ? end : packet.length) ? packet[at] : undefined
      if (octet === undefined) throw malformed()
      if (octet >= 0xc0) {
        const target = ((octet & 0x3f) << 8) | (packet[at + 1] ?? 0)
        if (after < 0) after = at + 2
        // Each pointer leads to a part before the one that it ends, so there is no loop.
        if (after > end || target >= segment) throw malformed()
        at = segment = target
      } else if (octet === 0) return after < 0 ? at + 1 : after
      else at = this.addLabel(packet, at, octet)
    }
  }

  private addLabel(packet: Buffer, at: number, size: number): number {
    const next = at + 1 + size
    if (size > labelMax || next > packet.length || this.length + 1 + size >= nameMax) throw malformed()
    this.octets[this.length++] = size
    for (let from = at + 1; from < next; from++) {
      const octet = packet[from] as number
      this.octets[this.length++] = octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet
    }
    return next
  }

  /** The key of the name (wire/names.ts of the port). */
  key(): string {
    return this.octets.toString('latin1', 0, this.length)
  }

  /** The key relative to a zone, empty for its apex; undefined for a name outside the zone. */
  keyWithin(zone: string): string | undefined {
    const key = this.key()
    const split = key.length - zone.length
    if (split < 0 || !key.endsWith(zone)) return undefined
    let at = 0
    while (at < split) at = nextLabel(key, at)
    // A new string: a slice would keep the longer one in memory.
    return at === split ? this.octets.toString('latin1', 0, split) : undefined
  }

  /** The name in wire format, uncompressed. */
  wire(): Buffer {
    const copy = Buffer.alloc(this.length + 1)
    this.octets.copy(copy, 0, 0, this.length)
    return copy
  }
}
