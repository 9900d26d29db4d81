import { nextLabel } from '../../ports/dns/wire/names.js'
import { readName } from '../../ports/dns/wire/read-name.js'
import { RefusedAnswer } from './refused-answer.js'

/** Reads names of messages. One object is used for all names: its name is valid until the next `read`. */
export class NameReader {
  private current = ''

  /**
   * @param end the name and its pointer must end before this offset
   * @returns the offset after the name
   * @throws RefusedAnswer for a malformed name
   */
  read(packet: Buffer, from: number, end: number): number {
    const name = readName(packet, from, end)
    if (name === undefined) throw new RefusedAnswer('A name in the answer is malformed.')
    this.current = name.key
    return name.end
  }

  /** The key of the name (wire/names.ts of the port). */
  key(): string {
    return this.current
  }

  /** The key relative to a zone, empty for its apex; undefined for a name outside the zone. */
  keyWithin(zone: string): string | undefined {
    const split = this.current.length - zone.length
    if (split < 0 || !this.current.endsWith(zone)) return undefined
    let at = 0
    while (at < split) at = nextLabel(this.current, at)
    // A new string: a slice would keep the longer one in memory.
    return at === split ? Buffer.from(this.current.slice(0, split), 'latin1').toString('latin1') : undefined
  }

  /** The name in wire format, uncompressed. */
  wire(): Buffer {
    return Buffer.from(`${this.current}\0`, 'latin1')
  }
}
