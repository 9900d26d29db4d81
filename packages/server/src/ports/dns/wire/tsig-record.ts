import { keyOf, nameMax, textOf } from './names.js'

/** The TSIG record of a message (RFC 8945, section 4.2): found, removed, and appended. Pure functions on octets. */

const headerSize = 12
const labelMax = 63
const tsigType = 250
const classAny = 255

/** What a TSIG record says. Names are in wire format, uncompressed and in lower case, as the MAC covers them. */
export interface Tsig {
  /** The offset of the record in its message. */
  readonly start: number
  readonly keyName: Buffer
  readonly algorithm: Buffer
  /** Seconds since the epoch. */
  readonly timeSigned: number
  /** Seconds. */
  readonly fudge: number
  readonly mac: Buffer
  /** The id of the message when it was signed: a forwarder may have changed it. */
  readonly originalId: number
  readonly error: number
  readonly other: Buffer
}

/** A message whose sections do not fit its counts, or whose TSIG is malformed, repeated or not the last record. */
export class MalformedMessage extends Error {}

/**
 * Finds the TSIG of a message. It is the last record of the additional section, and nothing follows it.
 * @returns undefined for a message without one
 * @throws MalformedMessage, for which the answer is FORMERR (RFC 8945, section 5.2)
 */
export function findTsig(packet: Buffer): Tsig | undefined {
  if (packet.length < headerSize) throw new MalformedMessage('The message has no header.')
  let at = headerSize
  for (let left = packet.readUInt16BE(4); left > 0; left--) at = skipName(packet, at) + 4
  const others = packet.readUInt16BE(6) + packet.readUInt16BE(8)
  const additional = packet.readUInt16BE(10)
  for (let left = others + additional; left > 0; left--) {
    const fields = skipName(packet, at)
    const rdata = fields + 10
    if (rdata > packet.length) throw cutOff()
    const end = rdata + packet.readUInt16BE(fields + 8)
    if (packet.readUInt16BE(fields) === tsigType) {
      if (left > 1 || additional === 0) throw new MalformedMessage('The TSIG is not the last record.')
      return parseTsig(packet, at, fields, end)
    }
    at = end
  }
  if (at !== packet.length) throw cutOff()
  return undefined
}

const cutOff = () => new MalformedMessage('The message is cut off, or octets follow its last record.')

function parseTsig(packet: Buffer, start: number, fields: number, end: number): Tsig {
  if (end !== packet.length) throw cutOff()
  const isValid = packet.readUInt16BE(fields + 2) === classAny && packet.readUInt32BE(fields + 4) === 0
  if (!isValid) throw new MalformedMessage('The class of a TSIG is ANY, and its TTL 0.')
  const [algorithm, times] = readName(packet, fields + 10)
  if (times + 10 > end) throw cutOff()
  const macEnd = times + 10 + packet.readUInt16BE(times + 8)
  if (macEnd + 6 > end || macEnd + 6 + packet.readUInt16BE(macEnd + 4) !== end) throw cutOff()
  return {
    start,
    keyName: readName(packet, start)[0],
    algorithm,
    timeSigned: packet.readUIntBE(times, 6),
    fudge: packet.readUInt16BE(times + 6),
    mac: packet.subarray(times + 10, macEnd),
    originalId: packet.readUInt16BE(macEnd),
    error: packet.readUInt16BE(macEnd + 2),
    other: packet.subarray(macEnd + 6, end),
  }
}

/** @returns the offset after the name @throws MalformedMessage */
export function skipName(packet: Buffer, from: number): number {
  for (let at = from; ;) {
    const length = packet[at]
    if (length === undefined || at - from >= nameMax) throw cutOff()
    if (length === 0) return at + 1
    if (length >= 0xc0) return at + 2
    if (length > labelMax) throw new MalformedMessage('A label has an unassigned type.')
    at += length + 1
  }
}

/**
 * Reads a name. Some clients compress the name of the key.
 * @returns the name in lower case, and the offset after it in the message
 * @throws MalformedMessage
 */
function readName(packet: Buffer, from: number): [name: Buffer, end: number] {
  const name = Buffer.alloc(nameMax)
  let length = 0
  let end = -1
  let segment = from
  for (let at = from; ;) {
    const octet = packet[at]
    if (octet === undefined) throw cutOff()
    if (octet >= 0xc0) {
      const target = ((octet & 0x3f) << 8) | (packet[at + 1] ?? 0)
      if (end < 0) end = at + 2
      // Each pointer leads to a part before the one that it ends, so there is no loop.
      if (target >= segment) throw new MalformedMessage('A name has a pointer that does not lead back.')
      at = segment = target
    } else if (octet > labelMax) throw new MalformedMessage('A label has an unassigned type.')
    else {
      const next = at + octet + 1
      if (next > packet.length || length + octet + 1 > nameMax) throw cutOff()
      for (let octets = at; octets < next; octets++) name[length++] = lowerCase(packet[octets] as number)
      if (octet === 0) return [name.subarray(0, length), end < 0 ? next : end]
      at = next
    }
  }
}

const lowerCase = (octet: number): number => (octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet)

/**
 * The text of a name of a key or algorithm, in lower case, without the last dot.
 * @returns undefined for a name that a text cannot write, such as one with a dot in a label: svc has no such keys
 */
export function keyNameText(wire: Buffer): string | undefined {
  const key = wire.toString('latin1', 0, wire.length - 1)
  const text = textOf(key)
  try {
    return keyOf(text) === key ? text : undefined
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** A copy of a message without its TSIG: with one record less, and the id that it was signed with. */
export function withoutTsig(packet: Buffer, { start, originalId }: Pick<Tsig, 'start' | 'originalId'>): Buffer {
  const message = Buffer.from(packet.subarray(0, start))
  message.writeUInt16BE(originalId, 0)
  message.writeUInt16BE(message.readUInt16BE(10) - 1, 10)
  return message
}

/** A copy of a message with a TSIG at its end. */
export function withTsig(message: Buffer, tsig: Omit<Tsig, 'start'>): Buffer {
  const { keyName, algorithm, mac, other } = tsig
  const fields = Buffer.alloc(10)
  fields.writeUInt16BE(tsigType, 0)
  fields.writeUInt16BE(classAny, 2)
  fields.writeUInt16BE(algorithm.length + mac.length + other.length + 16, 8)
  const tail = Buffer.alloc(6)
  tail.writeUInt16BE(tsig.originalId, 0)
  tail.writeUInt16BE(tsig.error, 2)
  tail.writeUInt16BE(other.length, 4)
  const macSize = u16(mac.length)
  const signed = Buffer.concat([message, keyName, fields, algorithm, timers(tsig), macSize, mac, tail, other])
  signed.writeUInt16BE(signed.readUInt16BE(10) + 1, 10)
  return signed
}

/** The size of such a TSIG in octets, without other data. */
export const tsigSize = (keyName: Buffer, algorithm: Buffer, macSize: number): number =>
  keyName.length + algorithm.length + macSize + 26

/** What the MAC covers after the message (RFC 8945, section 4.3.3). */
export function tsigVariables(tsig: Omit<Tsig, 'start' | 'mac' | 'originalId'>): Buffer {
  const { keyName, algorithm, error, other } = tsig
  const fields = Buffer.alloc(6)
  fields.writeUInt16BE(classAny, 0)
  return Buffer.concat([keyName, fields, algorithm, timers(tsig), u16(error), u16(other.length), other])
}

/** The part of the variables that the MAC of a later message of an answer covers (RFC 8945, section 5.3.1). */
export function timers({ timeSigned, fudge }: Pick<Tsig, 'timeSigned' | 'fudge'>): Buffer {
  const octets = Buffer.alloc(8)
  octets.writeUIntBE(timeSigned, 0, 6)
  octets.writeUInt16BE(fudge, 6)
  return octets
}

export function u16(value: number): Buffer {
  const octets = Buffer.alloc(2)
  octets.writeUInt16BE(value)
  return octets
}

/** A time in 48 bits, as in the other data of BADTIME. */
export function time48(seconds: number): Buffer {
  const octets = Buffer.alloc(6)
  octets.writeUIntBE(seconds, 0, 6)
  return octets
}
