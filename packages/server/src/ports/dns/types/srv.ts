import { badRequest } from '@svc/contract/errors'
import { quoted } from '../../../shared/quoted.js'
import { absoluteName, canonicalName } from '../presentation/name.js'
import { decodeName } from '../wire/rdata-names.js'
import type { RecordTypeRules } from './record-type.js'
import { canonicalTarget, nameSize } from './target.js'

/** The location of a service (RFC 2782): `weight port target`, with a priority. The target is never compressed. */
export const srv: RecordTypeRules = {
  code: 33,
  hasPriority: true,
  hasCompressibleName: false,
  targetOffset: 4,
  nameOffset: 4,
  fields: {
    count: 4,
    description: 'priority, weight, port and name, such as 10 5 5060 sip.example.net.',
    words: 4,
    toGiven: ([weight = '', port = '', name = ''], absolute) => `${weight} ${port} ${absolute(name)}`,
  },
  canonicalize,
  size: (value) => 4 + nameSize(value.slice(value.lastIndexOf(' ') + 1)),
  encode(to, value) {
    const [, weight, port, target] = /^(\d{1,5}) (\d{1,5}) (\S+)$/.exec(value) ?? []
    if (target === undefined) throw new RangeError(`SRV needs "weight port target", not ${JSON.stringify(value)}.`)
    to.u16(Number(weight))
    to.u16(Number(port))
    to.name(target)
  },
  decode: (data, zone) => `${data.readUInt16BE(0)} ${data.readUInt16BE(2)} ${decodeName(data, zone, 4)}`,
  format: absoluteName,
  parse(text) {
    const [, weight, port, target] = /^(\d{1,5})\s+(\d{1,5})\s+(\S+)$/.exec(text) ?? []
    return target === undefined ? undefined : `${Number(weight)} ${Number(port)} ${canonicalName(target)}`
  },
  examples: [
    { value: '0 0 .', priority: 0 },
    { value: '5 5060 sip.conformance.test', priority: 10 },
  ],
}

function canonicalize(given: string): string {
  const parts = given.trim().split(/\s+/)
  const [weight, port, target] = parts
  if (weight === undefined || port === undefined || target === undefined || parts.length > 3) {
    const hint = parts.length === 4 ? '. The priority is a separate field' : ''
    throw badRequest(
      'value',
      `must be weight, port and target, such as "5 5060 sip.example.com", not ${quoted(given)}${hint}`,
    )
  }
  return `${uint16(weight, 'weight', given)} ${uint16(port, 'port', given)} ${serviceTarget(target)}`
}

/** A host, or `.` for "no such service here" (RFC 2782). */
const serviceTarget = (given: string): string =>
  given === '.' ? '.' : canonicalTarget(given, 'weight, port and full host name, such as "5 5060 sip.example.com"')

/** Weight and port are 16 bits wide (RFC 2782). */
const uint16Max = 65_535

function uint16(text: string, what: string, given: string): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Infinity
  if (number > uint16Max) throw badRequest('value', `must have a ${what} from 0 to ${uint16Max}, not ${quoted(given)}`)
  return number
}
