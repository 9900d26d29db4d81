import { randomInt } from 'node:crypto'
import { classIn, typeCode } from '../../ports/dns/embedded/codes.js'
import { headerSize } from '../../ports/dns/embedded/query.js'
import { TsigSigner, TsigVerifier, type TsigKey } from '../../ports/dns/wire/tsig.js'
import { RefusedAnswer } from '../wire/refused-answer.js'

/** A signed question, and what verifies its answer. */
export interface Question {
  readonly id: number
  readonly packet: Buffer
  readonly verifier: TsigVerifier
}

export type Asked =
  | { readonly type: 'SOA' | 'AXFR' }
  /** @property soa the data of the copy's SOA, with its serial (RFC 1995, section 3) */
  | { readonly type: 'IXFR'; readonly soa: Buffer }

/** @param zone the key of the zone (wire/names.ts of the port) */
export function question(zone: string, asked: Asked, key: TsigKey): Question {
  const name = Buffer.concat([Buffer.from(zone, 'latin1'), Buffer.from([0])])
  const id = randomInt(65_536)
  const header = Buffer.alloc(headerSize)
  header.writeUInt16BE(id, 0)
  header.writeUInt16BE(1, 4)
  const fields = Buffer.alloc(4)
  fields.writeUInt16BE(typeCode[asked.type], 0)
  fields.writeUInt16BE(classIn, 2)
  const sections: Uint8Array[] = [header, name, fields]
  if (asked.type === 'IXFR') {
    header.writeUInt16BE(1, 8)
    const record = Buffer.alloc(12)
    record.writeUInt16BE(0xc000 | headerSize, 0)
    record.writeUInt16BE(typeCode.SOA, 2)
    record.writeUInt16BE(classIn, 4)
    record.writeUInt16BE(asked.soa.length, 10)
    sections.push(record, asked.soa)
  }
  const signer = new TsigSigner(key)
  const packet = signer.sign(Buffer.concat(sections), nowSeconds())
  return { id, packet, verifier: new TsigVerifier(key, signer.mac) }
}

const nowSeconds = (): number => Math.floor(Date.now() / 1000)

/** Checks the header and the signature of a message. @returns it without its signature @throws Error */
export function verified(packet: Buffer, { id, verifier }: Question): Buffer {
  if (packet.length < headerSize || packet.readUInt16BE(0) !== id || (packet.readUInt8(2) & 0xf8) !== 0x80)
    throw new RefusedAnswer('The answer is not one to the question.')
  return verifier.verify(packet, nowSeconds())
}
