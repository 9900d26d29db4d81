/**
 * The part of DER (ITU-T X.690) that a certificate request and a self-signed certificate need. A library such as @peculiar/x509 would
 * bring ten packages and a polyfill for 60 lines.
 */

/** Identifier octets of the types. */
export const tag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
} as const

/** The identifier octet of `[n] EXPLICIT`, or of an IMPLICIT tag of a constructed type. */
export const explicit = (n: number): number => 0xa0 | n

/** The identifier octet of `[n] IMPLICIT` of a primitive type. */
export const implicit = (n: number): number => 0x80 | n

/** Encodes one element from its contents, which are concatenated. */
export function encode(identifier: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents)
  return Buffer.concat([Buffer.from([identifier, ...lengthOctets(content.length)]), content])
}

function lengthOctets(length: number): number[] {
  if (length < 0x80) return [length]
  const octets = []
  for (let rest = length; rest > 0; rest >>= 8) octets.unshift(rest & 0xff)
  return [0x80 | octets.length, ...octets]
}

export const sequence = (...elements: readonly Uint8Array[]): Buffer => encode(tag.sequence, ...elements)

/** @param value a small number that is not negative, or the big-endian octets of a positive number */
export const integer = (value: number | Uint8Array): Buffer =>
  encode(tag.integer, typeof value === 'number' ? Buffer.from([value]) : value)

/** A bit string of whole octets. */
export const bitString = (octets: Uint8Array): Buffer => encode(tag.bitString, Buffer.from([0]), octets)

export const octetString = (octets: Uint8Array): Buffer => encode(tag.octetString, octets)

/** @param dotted such as `2.5.29.17` */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...arcs] = dotted.split('.').map(Number)
  return encode(tag.objectIdentifier, Buffer.from([first * 40 + second, ...arcs.flatMap(base128)]))
}

function base128(arc: number): number[] {
  const octets = [arc & 0x7f]
  for (let rest = arc >> 7; rest > 0; rest >>= 7) octets.unshift((rest & 0x7f) | 0x80)
  return octets
}

/** For times before 2050 (RFC 5280, section 4.1.2.5.1). */
export const utcTime = (at: Date): Buffer =>
  encode(tag.utcTime, Buffer.from(`${at.toISOString().slice(2, 19).replaceAll(/[-:T]/g, '')}Z`))

/** One element of an encoding. */
export interface Element {
  readonly tag: number
  readonly content: Buffer
}

/**
 * Splits an encoding into its elements.
 * @throws RangeError if the octets are not a sequence of whole elements
 */
export function elementsOf(octets: Buffer): Element[] {
  const elements: Element[] = []
  for (let at = 0; at < octets.length;) {
    const identifier = octets.readUInt8(at)
    const short = octets.readUInt8(at + 1)
    const lengthSize = short < 0x80 ? 0 : short & 0x7f
    // readUIntBE throws a RangeError for the sizes 0 and above 6.
    const length = short < 0x80 ? short : octets.readUIntBE(at + 2, lengthSize)
    const start = at + 2 + lengthSize
    at = start + length
    if (at > octets.length) throw new RangeError('A DER element is longer than its encoding.')
    elements.push({ tag: identifier, content: octets.subarray(start, at) })
  }
  return elements
}
