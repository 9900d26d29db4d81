import type { RecordType } from '@svc/contract'
import type { RRsetRecord } from '../port.js'
import { ipv4Bytes, ipv6Groups } from './address.js'
import type { Bytes } from './bytes.js'
import { isWithin } from './names.js'

/** Octets of one string in a TXT (RFC 1035, section 3.3). */
const stringMax = 255

/**
 * Writes the RDATA of a record from its canonical value. Names that may be compressed and lie in the zone end in a pointer
 * to the apex: see `pointerToApex`.
 */
export function writeRdata(to: Bytes, zone: string, type: RecordType, { value, priority }: RRsetRecord): void {
  switch (type) {
    case 'A':
      for (const octet of ipv4Bytes(value)) to.u8(octet)
      return
    case 'AAAA':
      for (const group of ipv6Groups(value)) to.u16(group)
      return
    case 'MX':
      to.u16(priority ?? 0)
      writeTarget(to, zone, value)
      return
    case 'CNAME':
    case 'NS':
    case 'PTR':
      writeTarget(to, zone, value)
      return
    case 'TXT':
    case 'SPF':
      writeStrings(to, value)
      return
    case 'SRV':
      writeSrv(to, value, priority ?? 0)
      return
    case 'CAA':
      writeCaa(to, value)
      return
  }
}

/** Stands where a name goes on as the zone's own. The answer knows where in its message that is and puts it in. */
export const pointerToApex = 0xc00c

/** A name in RDATA of the types whose names may be compressed: those of RFC 1035 (RFC 3597, section 4). */
function writeTarget(to: Bytes, zone: string, name: string): void {
  const target = name.toLowerCase().replace(/(?<=.)\.$/, '')
  if (target !== zone && !isWithin(zone, target)) {
    to.name(name)
    return
  }
  to.labels(target === zone ? '' : target.slice(0, -zone.length - 1))
  to.u16(pointerToApex)
}

function writeStrings(to: Bytes, value: string): void {
  const bytes = Buffer.from(value)
  // An empty text is one empty string: there is always one (RFC 1035, section 3.3.14).
  for (let at = 0; at === 0 || at < bytes.length; at += stringMax) {
    const part = bytes.subarray(at, at + stringMax)
    to.u8(part.length)
    to.raw(part)
  }
}

/** `weight port target` (RFC 2782). The target is never compressed. */
function writeSrv(to: Bytes, value: string, priority: number): void {
  const found = /^(\d{1,5}) (\d{1,5}) (\S+)$/.exec(value)
  if (found === null) throw new RangeError(`SRV needs "weight port target", not ${JSON.stringify(value)}.`)
  const [, weight, port, target = ''] = found
  to.u16(priority)
  to.u16(Number(weight))
  to.u16(Number(port))
  to.name(target)
}

/** `flags tag "value"` (RFC 8659, section 4.1); quotes and backslashes within the value are escaped. */
function writeCaa(to: Bytes, value: string): void {
  const found = /^(\d{1,3}) ([a-z\d]{1,255}) "((?:[^"\\]|\\.)*)"$/isu.exec(value)
  if (found === null) throw new RangeError(`CAA needs 'flags tag "value"', not ${JSON.stringify(value)}.`)
  const [, flags, tag = '', quoted = ''] = found
  to.u8(Number(flags))
  to.u8(tag.length)
  to.raw(Buffer.from(tag.toLowerCase(), 'latin1'))
  to.raw(unescaped(quoted))
}

/** The escapes of master files (RFC 1035, section 5.1). */
const unescaped = (quoted: string): Buffer =>
  Buffer.concat(
    quoted.split(/(\\\d{3}|\\.)/su).map((part) => {
      if (!part.startsWith('\\')) return Buffer.from(part)
      return /^\\\d/.test(part) && part.length === 4 ? Buffer.from([Number(part.slice(1))]) : Buffer.from(part.slice(1))
    }),
  )
