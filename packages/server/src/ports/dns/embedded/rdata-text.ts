import type { RRsetRecord } from '../port.js'
import { ipv6Text } from './address.js'
import { recordType } from './codes.js'
import { textOf } from './names.js'

/** The canonical value of a record from the RDATA that `writeRdata` made of it. */
export function readRdata(zone: string, code: number, rdata: Buffer): RRsetRecord {
  const type = recordType(code)
  switch (type) {
    case 'A':
      return { value: rdata.join('.'), priority: null }
    case 'AAAA':
      return { value: ipv6Text(Array.from({ length: 8 }, (_, n) => rdata.readUInt16BE(2 * n))), priority: null }
    case 'MX':
      return { value: nameAt(zone, rdata, 2), priority: rdata.readUInt16BE(0) }
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return { value: nameAt(zone, rdata, 0), priority: null }
    case 'TXT':
    case 'SPF':
      return { value: joined(rdata), priority: null }
    case 'SRV': {
      const [weight, port] = [rdata.readUInt16BE(2), rdata.readUInt16BE(4)]
      return { value: `${weight} ${port} ${nameAt(zone, rdata, 6)}`, priority: rdata.readUInt16BE(0) }
    }
    case 'CAA':
      return { value: caaText(rdata), priority: null }
  }
}

/** A name that reaches to the end of the RDATA. The root is a single dot. */
function nameAt(zone: string, rdata: Buffer, from: number): string {
  // A pointer to the apex ends in an octet that is not zero, a whole name in one that is.
  if (rdata.at(-1) === 0) return textOf(rdata.toString('latin1', from, rdata.length - 1)) || '.'
  const labels = textOf(rdata.toString('latin1', from, rdata.length - 2))
  return labels === '' ? zone : `${labels}.${zone}`
}

function joined(rdata: Buffer): string {
  const parts: Buffer[] = []
  for (let at = 0; at < rdata.length; at += 1 + (rdata[at] ?? 0)) {
    parts.push(rdata.subarray(at + 1, at + 1 + (rdata[at] ?? 0)))
  }
  return Buffer.concat(parts).toString()
}

function caaText(rdata: Buffer): string {
  const tagEnd = 2 + rdata.readUInt8(1)
  const value = rdata.subarray(tagEnd).toString()
  return `${rdata.readUInt8(0)} ${rdata.toString('latin1', 2, tagEnd)} "${value.replace(/["\\]/g, '\\$&')}"`
}
