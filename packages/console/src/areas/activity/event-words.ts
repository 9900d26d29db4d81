import type { EventArea } from '@svc/contract/events'
import { formatTime } from '../../parts/format.js'
import { sentenceOf } from './event-texts.js'
import type { AccountEvent } from './queries.js'
import { who } from './sentence.js'

/** The parts of an event in words. */

/** Who did it, at the beginning of a sentence. A token is an API key in the console. */
export function actorText({ kind, name }: AccountEvent['actor']): string {
  switch (kind) {
    case 'token':
      return `API key ${name}`
    case 'session':
      return 'You'
    case 'operator':
      return 'The operator'
    case 'protocol':
      return 'The server'
  }
}

/** By what it was done; undefined if the sentence says it. */
export function meansText({ kind, name }: AccountEvent['actor']): string | undefined {
  switch (kind) {
    case 'token':
      return undefined
    case 'session':
      return 'in the console'
    case 'operator':
    case 'protocol':
      return `by ${name}`
  }
}

/** The thing of an event: its name, or the names that it is for, such as a certificate of a site. */
export function thingText({ object, after, before }: Pick<AccountEvent, 'object' | 'before' | 'after'>): string {
  const domains = after?.['domains'] ?? before?.['domains']
  if (object !== '' || !Array.isArray(domains)) return object
  return domains.map(String).join(', ')
}

/** What an event says, without links. */
export const eventText = (event: Omit<AccountEvent, 'network' | 'request_id'>): string =>
  sentenceOf(event)
    .map((part) => (typeof part === 'string' ? part : part === who ? actorText(event.actor) : thingText(event)))
    .join('')

const labels = {
  account: 'Account',
  dns: 'DNS',
  files: 'Files',
  cdn: 'Edge cache',
  sites: 'Sites',
  packages: 'Packages',
  deployments: 'Forms and links',
  sms: 'Messages',
  cred: 'Credentials',
  domains: 'Domains',
  tls: 'Certificates',
}
const areaLabels: Readonly<Record<EventArea, string>> = labels

/** The name of an area in the navigation. */
export const areaLabel = (area: string): string => new Map(Object.entries(areaLabels)).get(area) ?? area

/** Those that do not read well by themselves. */
const fieldNames: ReadonlyMap<string, string> = new Map([
  ['nickname', 'Display name'],
  ['expires_at', 'Ends'],
  ['unused_days', 'Ends after days without a use'],
  ['count', 'Number'],
  ['user_agent', 'Browser'],
  ['domains', 'Names'],
  ['not_after', 'Valid until'],
  ['edge_ttl', 'Kept at the edge, in seconds'],
  ['serving', 'Served by the edge'],
  ['next_urls', 'Pages after a submission'],
  ['forward_query', 'Forwards the query'],
  ['max_uses', 'Maximum number of uses'],
])

/** The name of a field: `media_type` is `Media type`. */
export function fieldName(field: string): string {
  const text = fieldNames.get(field) ?? field.replaceAll('_', ' ')
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

/** A value of a field: `none` if it is not set. */
export function fieldText(field: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(String).join(', ')
  if (field.endsWith('_at') && typeof value === 'string' && !Number.isNaN(Date.parse(value))) return formatTime(value)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value)
}

export interface FieldChange {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}

/** The fields of an event, those before it first. */
export const fieldsOf = ({ before, after }: Pick<AccountEvent, 'before' | 'after'>): readonly FieldChange[] =>
  Object.keys({ ...before, ...after }).map((field) => ({ field, before: before?.[field], after: after?.[field] }))
