import { ttlDefault, type RecordType } from '@svc/contract'
import type { DnsRecord } from './queries.js'

/** The value of a record as the separate inputs of its form. */

/** The text of each input. Types share `value`, so that it stays when the type changes. */
export interface ValueParts {
  readonly value: string
  readonly weight: string
  readonly port: string
  readonly flags: string
  readonly tag: string
}

export const emptyParts: ValueParts = { value: '', weight: '0', port: '', flags: '0', tag: 'issue' }

/** A record that is being typed. */
export interface Draft {
  readonly type: RecordType
  readonly host: string
  readonly parts: ValueParts
  /** Empty if missing. */
  readonly priority: number | ''
  readonly ttl: number
}

export const emptyDraft: Draft = { type: 'A', host: '', parts: emptyParts, priority: '', ttl: ttlDefault }

/** Joins the lines of a text, because DNS has no line breaks: quoted strings stay separate, broken lines become one. */
function joinLines(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  return lines.join(lines.every((line) => line.startsWith('"')) ? ' ' : '')
}

/** The value of a CAA record in quotes, with its escapes (RFC 8659, section 4.1.1). */
const inQuotes = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`

/** The value that the API takes, from the inputs of a type. */
export function valueOf(type: RecordType, { value, weight, port, flags, tag }: ValueParts): string {
  switch (type) {
    case 'SRV':
      return `${weight.trim()} ${port.trim()} ${value.trim()}`
    case 'CAA':
      return `${flags.trim()} ${tag.trim()} ${inQuotes(value.trim())}`
    case 'TXT':
    case 'SPF':
      return joinLines(value)
    default:
      return value.trim()
  }
}

/** The inputs for a value as the API answers it. */
export function partsOf(type: RecordType, value: string): ValueParts {
  if (type === 'SRV') {
    const [weight = '', port = '', target = ''] = value.split(' ')
    return { ...emptyParts, weight, port, value: target }
  }
  if (type === 'CAA') {
    const [, flags = '', tag = '', text = ''] = /^(\d+) (\w+) "(.*)"$/s.exec(value) ?? []
    return { ...emptyParts, flags, tag, value: text.replaceAll(/\\(["\\])/g, '$1') }
  }
  return { ...emptyParts, value }
}

export const draftOf = ({ type, host, value, priority, ttl }: DnsRecord): Draft => ({
  type,
  host,
  ttl,
  priority: priority ?? '',
  parts: partsOf(type, value),
})

/** Whether records of a type have a priority beside their value. */
export const hasPriority = (type: RecordType): boolean => type === 'MX' || type === 'SRV'

/** Types whose values have the name of a host. */
const withNames: ReadonlySet<RecordType> = new Set(['CNAME', 'MX', 'NS', 'PTR', 'SRV'])

export const hasName = (type: RecordType): boolean => withNames.has(type)

/** The fields of a draft that the API takes. */
export const inputOf = ({ type, host, parts, priority, ttl }: Draft) => ({
  type,
  host: host.trim(),
  value: valueOf(type, parts),
  ttl,
  ...(hasPriority(type) && priority !== '' && { priority }),
})

/** The fields that were changed: a form must not write back the others, which another tab may have changed meanwhile. */
export const changedFields = <Input extends object>(before: Input, now: Input): Partial<Input> =>
  Object.fromEntries(
    Object.entries(now).filter(([name, value]) => value !== before[name as keyof Input]),
  ) as Partial<Input>

/** A record as input, such as to create a deleted one again. */
export const copyOf = ({ type, host, value, ttl, priority }: DnsRecord) => ({
  type,
  host,
  value,
  ttl,
  ...(priority !== null && { priority }),
})

/** The full name of a host. */
export function fullName(zone: string, host: string): string {
  const name = host.trim().replace(/\.$/, '')
  return name === '' || name === '@' ? zone : `${name}.${zone}`
}

const presets: readonly (readonly [seconds: number, label: string])[] = [
  [60, '1 minute'],
  [300, '5 minutes'],
  [3600, '1 hour'],
  [14_400, '4 hours'],
  [86_400, '1 day'],
]

/** The ttls that the form offers, within the limits of the contract. */
export const ttlPresets = ({ minimum = 0, maximum = Infinity }: { minimum?: number; maximum?: number }) =>
  presets.filter(([seconds]) => seconds >= minimum && seconds <= maximum)

const units: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
]

/** `1 h`, `90 s`: the largest unit that divides it. */
export function formatTtl(ttl: number): string {
  const [seconds, unit] = units.find(([each]) => ttl % each === 0) ?? [1, 's']
  return `${String(ttl / seconds)} ${unit}`
}
