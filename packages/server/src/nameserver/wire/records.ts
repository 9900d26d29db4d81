import { classIn } from '../../ports/dns/embedded/codes.js'
import { headerSize } from '../../ports/dns/embedded/query.js'
import { NameReader } from './name-reader.js'
import { fieldsSize, storedRdata } from './rdata.js'
import { ErrorAnswer, RefusedAnswer } from './refused-answer.js'

/** A record of an answer, of a name in the zone. */
export interface WireRecord {
  /** Relative to the zone; empty for its apex. */
  readonly key: string
  readonly type: number
  readonly ttl: number
  /** As the nameserver stores it. */
  readonly rdata: Buffer
}

/** A record that is not served: of a name outside the zone, of another class, or of a type that no zone has. */
export const leftOut = Symbol('left out')

const names = new NameReader()

/**
 * Reads the records of the answer section.
 * @param zone the key of the zone
 * @throws RefusedAnswer for a malformed message, or another RCODE than NOERROR
 */
export function* answerRecords(packet: Buffer, zone: string): Generator<WireRecord | typeof leftOut, void> {
  const code = packet.readUInt8(3) & 0x0f
  if (code !== 0) throw new ErrorAnswer(code)
  let at = headerSize
  for (let left = packet.readUInt16BE(4); left > 0; left--) at = names.read(packet, at, packet.length) + 4
  for (let left = packet.readUInt16BE(6); left > 0; left--) {
    const fields = names.read(packet, at, packet.length)
    const key = names.keyWithin(zone)
    const from = fields + fieldsSize
    if (from > packet.length) throw cutOff()
    const end = from + packet.readUInt16BE(from - 2)
    if (end > packet.length) throw cutOff()
    const type = packet.readUInt16BE(fields)
    if (key === undefined || packet.readUInt16BE(fields + 2) !== classIn || isMeta(type)) yield leftOut
    else
      yield { key, type, ttl: ttlOf(packet, fields + 4), rdata: storedRdata(packet, { type, from, end, zone, names }) }
    at = end
  }
}

const cutOff = () => new RefusedAnswer('A message of the answer is cut off.')

/** Types of questions and of messages (RFC 6895, section 3.1). */
const isMeta = (type: number): boolean => type === 0 || type === 41 || (type >= 128 && type <= 255)

/** The first bit is 0; a TTL with a 1 there counts as 0 (RFC 2181, section 8). */
const ttlOf = (packet: Buffer, at: number): number => {
  const ttl = packet.readUInt32BE(at)
  return ttl > 0x7fff_ffff ? 0 : ttl
}
