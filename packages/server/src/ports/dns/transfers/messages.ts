import { rcode } from '../embedded/codes.js'
import { headerSize } from '../embedded/query.js'
import { pointerToApex } from '../wire/rdata-names.js'
import type { TransferRequest } from './request.js'

/**
 * Octets of a message of a transfer. A pointer reaches no further (RFC 1035, section 4.1.4), and other queries wait for one message
 * only: about 400 records, in a fraction of a millisecond.
 */
const messageMax = 16 * 1024

/** Octets that a signature may need (RFC 8945, section 4.2): two names and a MAC. */
const signatureMax = 700

const lengthMax = 65_535

/** An OPT without options, which says how large an answer over UDP may be (RFC 6891, section 6.1.2). */
const opt = Buffer.from([0, 0, 41, 0x04, 0xd0, 0, 0, 0, 0, 0, 0])

/** Records of one name, one after another, each with a pointer to the name of the zone as its owner. */
export interface Records {
  /** The name, relative to the zone. */
  readonly key: string
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
}

/**
 * Writes the messages of a transfer. Each has the question, so that pointers to the name of the zone are the same in all messages and in
 * the stored records (RFC 5936, section 2.2.1).
 * @returns the messages, each when it is full
 */
export function* transferMessages(
  packet: Buffer,
  request: TransferRequest,
  records: Iterable<Records>,
): Generator<Buffer, void> {
  let message = new Message(packet, request)
  for (const { key, bytes, start, end } of records) {
    for (let at = start; at < end;) {
      const next = at + recordHead + bytes.readUInt16BE(at + recordHead - 2)
      if (!message.add(key, bytes, at, next)) {
        yield message.finish()
        message = new Message(packet, request)
        if (!message.add(key, bytes, at, next)) throw new RangeError('A record is too long for a message.')
      }
      at = next
    }
  }
  yield message.finish()
}

/** An answer without records. */
export function emptyAnswer(packet: Buffer, request: TransferRequest, code: number): Buffer {
  const message = new Message(packet, request).finish()
  message.writeUInt8(code, 3)
  return message
}

/** The answer to a request that has no SOA to begin from: FORMERR, without its question. */
export function malformedAnswer(packet: Buffer): Buffer {
  const message = Buffer.alloc(headerSize)
  packet.copy(message, 0, 0, 4)
  message.writeUInt8(0x80 | (packet.readUInt8(2) & 0x79), 2)
  message.writeUInt8(rcode.formErr, 3)
  return message
}

/** Octets of a stored record before its data: pointer, type, class, ttl, length. */
const recordHead = 12

class Message {
  private buffer = Buffer.allocUnsafe(messageMax)
  private at: number
  private count = 0
  /** The name of the last record, and its offset. */
  private key = ''
  private owner = headerSize

  constructor(
    packet: Buffer,
    private readonly request: TransferRequest,
  ) {
    const { questionEnd } = request
    packet.copy(this.buffer, 0, 0, questionEnd)
    // Authoritative; the opcode and RD are those of the request.
    this.buffer.writeUInt8(0x84 | (packet.readUInt8(2) & 0x79), 2)
    this.buffer.writeUInt8(0, 3)
    this.buffer.writeUInt16BE(1, 4)
    this.buffer.fill(0, 6, headerSize)
    this.at = questionEnd
  }

  /** @returns whether the record fits; a message with one record takes any that fits into TCP */
  add(key: string, bytes: Buffer, start: number, end: number): boolean {
    const isNewName = key !== this.key
    const length = end - start + (isNewName ? key.length : 0)
    const needed = this.at + length + opt.length
    if (needed > messageMax && (this.count > 0 || !this.grow(needed))) return false
    if (key === '') this.owner = headerSize
    else if (isNewName) this.owner = this.at
    this.key = key
    const { buffer } = this
    if (isNewName) {
      this.at += buffer.write(key, this.at, 'latin1')
      buffer.writeUInt16BE(pointerToApex, this.at)
    } else buffer.writeUInt16BE(0xc000 | this.owner, this.at)
    bytes.copy(buffer, this.at + 2, start + 2, end)
    this.at += end - start
    this.count++
    return true
  }

  finish(): Buffer {
    const { buffer } = this
    buffer.writeUInt16BE(this.count, 6)
    if (!this.request.edns) return buffer.subarray(0, this.at)
    buffer.writeUInt16BE(1, 10)
    opt.copy(buffer, this.at)
    return buffer.subarray(0, this.at + opt.length)
  }

  private grow(needed: number): boolean {
    if (needed + signatureMax > lengthMax) return false
    const larger = Buffer.allocUnsafe(needed)
    this.buffer.copy(larger, 0, 0, this.at)
    this.buffer = larger
    return true
  }
}
