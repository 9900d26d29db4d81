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

/** The value that a content stands for; one that svc would not have written stays as it is, and so differs from all. */
export function recordOf(type: RecordType, content: string): RRsetRecord {
  switch (type) {
    case 'A':
      return { value: content, priority: null }
    case 'AAAA':
      return { value: address(content), priority: null }
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return { value: relative(content), priority: null }
    case 'MX':
    case 'SRV': {
      const [, priority, rest = ''] = /^(\d{1,5}) (.+)$/s.exec(content) ?? []
      return priority === undefined
        ? { value: content, priority: null }
        : { value: relative(rest), priority: Number(priority) }
    }
    case 'TXT':
    case 'SPF':
      return { value: joined(content) ?? content, priority: null }
    case 'CAA': {
      const [, head = '', quoted = ''] = /^(\d{1,3} [a-z\d]+ )(".*")$/is.exec(content) ?? []
      const value = joined(quoted)
      const escaped = `${head.toLowerCase()}"${value?.replace(/["\\]/g, '\\$&') ?? ''}"`
      return { value: value === undefined ? content : escaped, priority: null }
    }
  }
}

/** With the trailing dot that makes it absolute; the root is one already. */
export const absolute = (name: string): string => (name.endsWith('.') ? name : `${name}.`)

/** In lower case, without the trailing dot; the root stays `.`, also behind the figures of an SRV. */
export const relative = (name: string): string => name.toLowerCase().replace(/(?<=[^ ])\.$/, '')

const address = (text: string): string => {
  try {
    return ipv6Text(ipv6Groups(text))
  } catch (error) {
    if (error instanceof RangeError) return text
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

/** The text of strings in quotes, joined and without escapes; undefined for what is none. */
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
  return Buffer.from(text, 'latin1').toString()
}
