import { badRequest } from '@svc/contract/errors'
import { quoted } from '../../../shared/quoted.js'
import { withoutPriority, type RecordTypeRules } from './record-type.js'

/** A certificate or key of a TLS server (RFC 6698, section 2): `usage selector matching-type data`, data in hexadecimal. */
export const tlsa: RecordTypeRules = {
  code: 52,
  hasPriority: false,
  hasCompressibleName: false,
  targetOffset: undefined,
  fields: {
    count: Infinity,
    description: 'usage, selector, matching type and data, such as 3 1 1 d2abde240d7cd3ee',
    words: Infinity,
    toGiven: (fields) => fields.join(' '),
  },
  canonicalize(given) {
    const value = parse(given.trim())
    if (value !== undefined) return value
    throw badRequest(
      'value',
      `must be usage, selector, matching type and data, such as "3 1 1 d2abde240d7cd3ee", not ${quoted(given)}`,
    )
  },
  size: (value) => 3 + dataOf(value).length,
  encode(to, value) {
    if (parse(value) !== value) throw new RangeError(`TLSA needs "3 1 1 d2abde…", not ${JSON.stringify(value)}.`)
    for (const number of value.split(' ', 3)) to.u8(Number(number))
    to.raw(dataOf(value))
  },
  decode: (data) => [...data.subarray(0, 3), data.toString('hex', 3)].join(' '),
  format: (value) => value,
  parse,
  examples: withoutPriority('3 1 1 d2abde240d7cd3ee6b4b28c54df034b97983a1d16e8a410e4561cb106618e971'),
}

/** Blanks within the data are allowed (RFC 6698, section 2.2). */
function parse(text: string): string | undefined {
  const [usage, selector, matchingType, ...parts] = text.toLowerCase().split(/\s+/)
  const numbers = [usage, selector, matchingType].map((word = '') => (/^\d{1,3}$/.test(word) ? Number(word) : Infinity))
  const data = parts.join('')
  if (numbers.some((number) => number > 255) || !/^(?:[\da-f]{2})+$/.test(data)) return undefined
  return [...numbers, data].join(' ')
}

const dataOf = (value: string): Buffer => Buffer.from(value.slice(value.lastIndexOf(' ') + 1), 'hex')
