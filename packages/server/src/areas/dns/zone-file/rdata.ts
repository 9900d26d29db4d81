import { isIP } from 'node:net'
import type { RecordType } from '@svc/contract'
import { ApiError } from '@svc/contract/errors'
import { quoted } from '../../../shared/quoted.js'
import type { GivenRecord } from '../records/record.js'
import type { Token } from './lexer.js'

/** The fields behind the type of a record in a master file, as the value and priority that the API would be given. */

export const wrong = (message: string) => new ApiError('bad_request', message)

/** How many fields, and which; `Infinity` for one or more. */
const forms: Readonly<Record<RecordType, readonly [count: number, form: string]>> = {
  A: [1, 'an address, such as 192.0.2.1'],
  AAAA: [1, 'an address, such as 2001:db8::1'],
  CNAME: [1, 'a name, such as www.example.net.'],
  NS: [1, 'a name, such as ns1.example.net.'],
  PTR: [1, 'a name, such as www.example.net.'],
  MX: [2, 'a priority and a name, such as 10 mail.example.net.'],
  SRV: [4, 'priority, weight, port and name, such as 10 5 5060 sip.example.net.'],
  CAA: [3, 'flags, tag and value, such as 0 issue "letsencrypt.org"'],
  TXT: [Infinity, 'one or more strings, such as "v=spf1 -all"'],
  SPF: [Infinity, 'one or more strings, such as "v=spf1 -all"'],
}

/**
 * @param absolute makes a name in the file a whole one, without its trailing dot
 * @throws ApiError `bad_request`
 */
export function givenValue(
  type: RecordType,
  fields: readonly Token[],
  absolute: (name: string) => string,
): Pick<GivenRecord, 'value' | 'priority'> {
  const [count, form] = forms[type]
  const [first, second, third, fourth] = fields.map(({ text }) => text)
  if (first === String.raw`\#`)
    throw wrong(String.raw`${type} must be written in its own form, not in that of unknown types (\#): ${form}.`)
  if (first === undefined || (count !== Infinity && fields.length !== count))
    throw wrong(`${type} takes ${form}, not ${fields.length} field${fields.length === 1 ? '' : 's'}.`)
  if (type !== 'TXT' && type !== 'SPF') checkWords(type === 'CAA' ? fields.slice(0, 2) : fields)
  // An address is no relative name: as it is, the rules of the type say where it belongs.
  const name = (text = '') => (isIP(text) === 0 ? absolute(text) : text)
  switch (type) {
    case 'A':
    case 'AAAA':
      return { value: first }
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return { value: name(first) }
    case 'MX':
      return { value: name(second), priority: priorityOf(first) }
    case 'SRV':
      return { value: `${second ?? ''} ${third ?? ''} ${name(fourth)}`, priority: priorityOf(first) }
    case 'CAA':
      return { value: `${first} ${second ?? ''} "${third ?? ''}"` }
    case 'TXT':
    case 'SPF':
      // In quotes, whether or not they were: the escapes are the same, and nothing is taken for a quotation mark.
      return { value: `"${fields.map(({ text }) => text).join('')}"` }
  }
}

/** Refuses fields that contain blanks: the API splits and trims values at them, so the field would be misread. */
function checkWords(fields: readonly Token[]): void {
  const wrongField = fields.find(({ text }) => /\s/.test(text))
  if (wrongField !== undefined)
    throw wrong(`${quoted(wrongField.text)} has a blank in it: fields are separated by spaces.`)
}

function priorityOf(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text)
  throw wrong(`priority must be a whole number from 0 to 65535, not ${quoted(text)}.`)
}

/** Seconds, or numbers with units, such as 1h30m (as BIND has them; RFC 1035 has seconds alone). */
const ttlForm = /^(\d{1,10}|(\d{1,10}[smhdw])+)$/i
/** In characters; a time in all five units has at most 55. */
const ttlMaxLength = 64
const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

/** @returns undefined for what is no ttl */
export function ttlOf({ text, quoted: isQuoted }: Token): number | undefined {
  if (isQuoted || text.length > ttlMaxLength || !ttlForm.test(text)) return undefined
  return Array.from(text.matchAll(/(\d+)([a-z]?)/gi)).reduce(
    (sum, [, digits, unit]) => sum + Number(digits) * (seconds[unit?.toLowerCase() ?? ''] ?? 1),
    0,
  )
}
