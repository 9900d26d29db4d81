import { randomInt } from 'node:crypto'
import { headerSize } from '../embedded/query.js'
import { Bytes } from '../wire/bytes.js'

/** Messages of RFC 1996: a primary tells a secondary that a zone has changed. Pure. */

/** Opcode NOTIFY, authoritative (RFC 1996, section 3.7). */
const requestFlags = 0x2400

const responseBit = 0x8000
const opcodeMask = 0x7800

const typeSoa = 6
const classIn = 1

/** A request, which has only the question. */
export function notifyRequest(zone: string): Buffer {
  const bytes = new Bytes()
  for (const word of [randomInt(0x1_0000), requestFlags, 1, 0, 0, 0]) bytes.u16(word)
  bytes.name(zone)
  bytes.u16(typeSoa)
  bytes.u16(classIn)
  return bytes.take()
}

/** The id of a message. */
export const idOf = (message: Buffer): number => message.readUInt16BE(0)

/**
 * Reads an answer.
 * @param request without a signature
 * @returns its RCODE; undefined for a message that is not the answer to the request
 */
export function notifyRcode(request: Buffer, answer: Buffer): number | undefined {
  if (answer.length < headerSize || idOf(answer) !== idOf(request)) return undefined
  const flags = answer.readUInt16BE(2)
  if ((flags & responseBit) === 0 || (flags & opcodeMask) !== (requestFlags & opcodeMask)) return undefined
  // A server that refuses may leave the question out.
  const hasQuestion = answer.readUInt16BE(4) === 1
  const isSame = answer.subarray(headerSize, request.length).equals(request.subarray(headerSize))
  return hasQuestion && !isSame ? undefined : flags & 0x0f
}
