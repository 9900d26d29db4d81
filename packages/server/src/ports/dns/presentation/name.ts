import { isIP } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'
import { quoted } from '../../../shared/quoted.js'

/** Names in canonical form: labels of letters, digits and hyphens in lower case, other scripts in Punycode. */

/** RFC 1035, section 2.3.4: 255 octets on the wire are 253 characters in presentation format. */
export const nameMaxLength = 253
const labelMaxLength = 63

export interface Alphabet {
  /** RFC 8552: names of services, keys and challenges have labels with underscores. Host names do not (RFC 1123, 2.1). */
  readonly underscores?: boolean
  /** RFC 4592, section 2.1.1: the first label may be an asterisk. */
  readonly wildcard?: boolean
}

/** A name's labels, or a clause that says why the text is not a name. */
export type Parsed =
  | { readonly labels: readonly string[]; readonly problem?: never }
  | { readonly labels?: never; readonly problem: string }

/** Dots, including the full stops that IDNA accepts as dots (UTS 46, section 2.3; RFC 3490, section 3.1). */
const dots = /[.\u3002\uff0e\uff61]/

/** Whether a name ends in a dot, as absolute names do in zone files. */
export const endsInDot = (given: string): boolean => dots.test(given.slice(-1))

/** In characters. Longer input cannot be a name: it is rejected before the IDNA conversion. */
const inputMaxLength = 4 * nameMaxLength

/** Parses a name in any spelling: upper case, Unicode, one trailing dot. Never throws. */
export function parseName(given: string, alphabet: Alphabet = {}): Parsed {
  if (given.length > inputMaxLength) return { problem: `it has more than ${nameMaxLength} characters` }
  const pieces = given.split(dots)
  if (pieces.length > 1 && pieces.at(-1) === '') pieces.pop()
  const labels: string[] = []
  for (const piece of pieces) {
    const asterisk = alphabet.wildcard === true && piece === '*' && labels.length === 0
    const label = asterisk ? piece : asciiLabel(piece)
    if (label === undefined) return { problem: `${quoted(piece)} is not a valid internationalised label` }
    const problem = asterisk ? undefined : labelProblem(label, alphabet)
    if (problem !== undefined) return { problem }
    labels.push(label)
  }
  const length = labels.join('.').length
  return length > nameMaxLength ? { problem: `it has ${length} characters, more than ${nameMaxLength}` } : { labels }
}

/** A label in lower case, other scripts in Punycode (UTS 46 as in browsers); undefined if it cannot be converted. */
function asciiLabel(given: string): string | undefined {
  const lower = /^[\0-\x7f]*$/.test(given) ? given.toLowerCase() : undefined
  if (lower !== undefined && !lower.startsWith('xn--')) return lower
  // domainToASCII decodes percent signs, and converts a single label such as `１２７` as an address: hence the second label.
  const ascii = given.includes('%') ? '' : domainToASCII(`${given}.a`)
  if (!/^[^.]+\.a$/.test(ascii)) return undefined
  // Since 24, Node.js keeps invalid Punycode, as the URL standard says. Others accept Punycode of plain ASCII, such as `xn--www-`, which
  // would be a second spelling of `www`.
  const decoded = domainToUnicode(ascii)
  return domainToASCII(decoded) === ascii && !/^xn--|^-|-\.a$/.test(decoded) ? ascii.slice(0, -'.a'.length) : undefined
}

/** The problem with a label in ASCII, as a clause; undefined for a valid label. */
function labelProblem(label: string, { underscores = false }: Alphabet): string | undefined {
  if (label === '') return 'a label is empty'
  if (label.length > labelMaxLength) return `the label ${quoted(label)} has more than ${labelMaxLength} characters`
  if (!(underscores ? /^[a-z0-9_-]+$/ : /^[a-z0-9-]+$/).test(label)) {
    const others = underscores ? 'letters, digits, hyphens and underscores' : 'letters, digits and hyphens'
    return `${quoted(label)} has other characters than ${others}`
  }
  return /^-|-$/.test(label) ? `${quoted(label)} begins or ends with a hyphen` : undefined
}

/**
 * Whether a name is an address or would be parsed as one. No top-level domain is a decimal or hexadecimal number
 * (RFC 3696, section 2; WHATWG URL, "ends in a number"). `127.1` and `0x7f.1` are addresses to browsers and to C.
 */
export const looksLikeAddress = (given: string, { labels }: Parsed): boolean =>
  isIP(given) !== 0 || /^(\d+|0x[0-9a-f]*)$/.test(labels?.at(-1) ?? '')

/** An absolute name as a zone file writes it, with its trailing dot. @param name canonical; the root is `.` */
export const absoluteName = (name: string): string => (name.endsWith('.') ? name : `${name}.`)

/** An absolute name in lower case, without its trailing dot; the root stays `.`. */
export const canonicalName = (name: string): string => name.toLowerCase().replace(/(?<=.)\.$/, '')
