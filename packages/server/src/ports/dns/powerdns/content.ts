import { isUtf8 } from 'node:buffer'
import { isIPv4 } from 'node:net'
import type { RecordType } from '@svc/contract'
import { ipv6Groups, ipv6Text } from '../embedded/address.js'
import type { RRsetRecord } from '../port.js'

/**
 * Values as PowerDNS writes them: the RDATA of master files (RFC 1035, section 5.1) with every name absolute, and
 * priorities in front (https://doc.powerdns.com/authoritative/appendices/types.html).
 */

/** Octets of one string in a TXT (RFC 1035, section 3.3). */
const stringMax = 255

/** A canonical value as PowerDNS takes it. */
export function contentOf(type: RecordType, { value, priority }: RRsetRecord): string {
  switch (type) {
    case 'A':
    case 'CAA':
      return value
    case 'AAAA':
      // In full: PowerDNS 4.7 takes no spelling with dots in it (RFC 4291, section 2.2).
      return ipv6Groups(value)
        .map((group) => group.toString(16))
        .join(':')
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return absolute(value)
    case 'MX':
      return `${priority ?? 0} ${absolute(value)}`
    case 'SRV':
      return `${priority ?? 0} ${absolute(value)}`
    case 'TXT':
    case 'SPF':
      return strings(value)
  }
}

/**
 * Parses a content into its record. Different spellings of one record give the same result.
 * @returns undefined for a content that cannot be parsed
 */
export function parseContent(type: RecordType, content: string): RRsetRecord | undefined {
  switch (type) {
    case 'A':
      return isIPv4(content.trim()) ? plain(content.trim()) : undefined
    case 'AAAA':
      return address(content.trim())
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return /\s/.test(content.trim()) ? undefined : plain(relative(content.trim()))
    case 'MX':
      return prioritized(content, 1)
    case 'SRV':
      return prioritized(content, 3)
    case 'TXT':
    case 'SPF':
      return optional(joined(content.trim()))
    case 'CAA':
      return caa(content.trim())
  }
}

/** As `parseContent`, but a content that cannot be parsed stays as it is, and so differs from all. */
export const recordOf = (type: RecordType, content: string): RRsetRecord =>
  parseContent(type, content) ?? plain(content)

/** The canonical spelling of a content; one that cannot be parsed stays unchanged. */
export function canonicalContent(type: RecordType, content: string): string {
  const record = parseContent(type, content)
  return record === undefined ? content : contentOf(type, record)
}

const plain = (value: string): RRsetRecord => ({ value, priority: null })

const optional = (value: string | undefined): RRsetRecord | undefined =>
  value === undefined ? undefined : plain(value)

/** Numbers, of which the first is the priority, and a name. */
function prioritized(content: string, numbers: number): RRsetRecord | undefined {
  const words = content.trim().split(/\s+/)
  const [priority, ...rest] = words.slice(0, numbers)
  const name = words[numbers]
  if (words.length !== numbers + 1 || priority === undefined || name === undefined) return undefined
  if (![priority, ...rest].every((word) => /^\d{1,5}$/.test(word))) return undefined
  return { value: [...rest.map(Number), relative(name)].join(' '), priority: Number(priority) }
}

/** Flags, tag and value, which may stand without quotes where it is one word (RFC 8659, section 4.1.1). */
function caa(content: string): RRsetRecord | undefined {
  const [, flags, tag = '', rest = ''] = /^(\d{1,3})\s+([a-z\d]+)\s+(\S.*)$/is.exec(content) ?? []
  const value = /^[^\s"\\;]+$/.test(rest) ? rest : joined(rest)
  if (value === undefined) return undefined
  return plain(`${Number(flags)} ${tag.toLowerCase()} "${value.replace(/["\\]/g, '\\$&')}"`)
}

/** With the trailing dot that makes it absolute; the root is one already. */
export const absolute = (name: string): string => (name.endsWith('.') ? name : `${name}.`)

/** In lower case, without the trailing dot; the root stays `.`, also behind the figures of an SRV. */
export const relative = (name: string): string => name.toLowerCase().replace(/(?<=[^ ])\.$/, '')

function address(text: string): RRsetRecord | undefined {
  try {
    return plain(ipv6Text(ipv6Groups(text)))
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Strings in quotes, whatever is not printable ASCII as `\DDD`. */
function strings(value: string): string {
  const bytes = Buffer.from(value)
  const quoted: string[] = []
  for (let at = 0; at === 0 || at < bytes.length; at += stringMax) {
    const text = bytes.toString('latin1', at, at + stringMax).replace(/["\\]/g, '\\$&')
    quoted.push(`"${text.replace(/[^ -~]/g, (byte) => `\\${String(byte.charCodeAt(0)).padStart(3, '0')}`)}"`)
  }
  return quoted.join(' ')
}

/** The text of strings in quotes, joined and without escapes; undefined if malformed or not UTF-8. */
function joined(content: string): string | undefined {
  // Byte by byte: `\DDD` is one, and so is each of a character that stands there as it is.
  const bytes = Buffer.from(content).toString('latin1')
  const string = /"([^"\\]*(?:\\.[^"\\]*)*)"\s*/sy
  let inner = ''
  do {
    const match = string.exec(bytes)
    if (match === null) return undefined
    inner += match[1] ?? ''
  } while (string.lastIndex < bytes.length)
  const text = inner.replace(/\\(?:(\d{3})|(.))/gs, (_, decimal: string | undefined, character: string) =>
    decimal === undefined ? character : String.fromCharCode(Number(decimal)),
  )
  const read = Buffer.from(text, 'latin1')
  return isUtf8(read) ? read.toString() : undefined
}
