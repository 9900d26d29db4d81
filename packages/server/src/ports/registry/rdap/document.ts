import { parseRegistryDate } from '../dates.js'

/** JSON of an RDAP answer, reduced to the members that a registration is made of, with few and short values. */
export type RdapDocument = Readonly<Record<string, unknown>>

/** Values of a list that are read. Real answers have about ten. */
const listMax = 64
const textMax = 255

/** Links of a registry to registrars that are followed. */
const linksMax = 2

/**
 * Reads the answer of an RDAP server about a domain (RFC 9083, section 5.3). Other members are left out, so that the library
 * works on a small document, and the data of contacts is dropped.
 * @returns undefined if it is not an RDAP domain, or another domain
 */
export function readRdapDocument(json: string, domain: string): RdapDocument | undefined {
  const doc = parseObject(json)
  const name = text(doc?.['ldhName'])?.toLowerCase().replace(/\.$/, '')
  if (doc === undefined || (name !== domain && (name !== undefined || doc['objectClassName'] !== 'domain')))
    return undefined
  const signed = member(doc['secureDNS'], 'delegationSigned')
  const isSigned = typeof signed === 'boolean' ? signed : { true: true, false: false }[String(signed)]
  return {
    ldhName: domain,
    status: list(doc['status']).flatMap((status) => text(status) ?? []),
    events: list(doc['events']).flatMap(readEvent),
    nameservers: list(doc['nameservers']).flatMap((server) => {
      const ldhName = text(member(server, 'ldhName'))
      return ldhName === undefined ? [] : { ldhName }
    }),
    entities: list(doc['entities']).flatMap(registrar),
    links: list(doc['links']).filter(isRegistrarLink).slice(0, linksMax).map(link),
    ...(isSigned === undefined ? {} : { secureDNS: { delegationSigned: isSigned } }),
  }
}

/** Whether the body of a 404 answer is that of an RDAP server: JSON or nothing (RFC 7480, section 5.3). Gateways send HTML. */
export const isRdapNotFound = (body: string): boolean => body.trim() === '' || parseObject(body) !== undefined

/**
 * What a registrar's document adds to the registry's: the registry decides what it has itself. Both know dates, so that a date of the
 * registrar is used only for an event that the registry does not have.
 */
export function withoutKnown(registrarDocument: RdapDocument, registryDocument: RdapDocument): RdapDocument {
  const isMissing = (key: string): boolean => list(registryDocument[key]).length === 0 && registryDocument[key] !== true
  const { ldhName, events, ...others } = registrarDocument
  const known = new Set(list(registryDocument['events']).map((event) => actionOf(event)))
  return {
    ldhName,
    events: list(events).filter((event) => !known.has(actionOf(event))),
    ...Object.fromEntries(Object.entries(others).filter(([key]) => key !== 'links' && isMissing(key))),
  }
}

/** An event with a plausible date. Registries write 0001-01-01 and 9999-12-31 for unknown ones. */
function readEvent(event: unknown): RdapDocument | readonly RdapDocument[] {
  const time = parseRegistryDate(text(member(event, 'eventDate')) ?? '')
  const eventAction = text(member(event, 'eventAction'))
  return time === undefined || eventAction === undefined ? [] : { eventAction, eventDate: new Date(time).toISOString() }
}

const actionOf = (event: unknown): string => String(member(event, 'eventAction')).toLowerCase()

/** A registrar's entity with its name only (RFC 7095 for vCards). */
function registrar(entity: unknown): RdapDocument | readonly RdapDocument[] {
  const roles = list(member(entity, 'roles')).flatMap((role) => text(role) ?? [])
  if (!roles.some((role) => /^registrar$/i.test(role))) return []
  const vcard = member(entity, 'vcardArray')
  const properties = list(Array.isArray(vcard) ? vcard[1] : undefined).filter(
    (property): property is unknown[] => Array.isArray(property) && (property[0] === 'fn' || property[0] === 'org'),
  )
  const named = properties.flatMap(([name, , , value]) => {
    const shown = text(Array.isArray(value) ? value[0] : value)
    return shown === undefined ? [] : [[name, {}, 'text', shown]]
  })
  return { roles, handle: text(member(entity, 'handle')), vcardArray: ['vcard', named] }
}

const isRegistrarLink = (given: unknown): boolean =>
  ['related', 'registrar'].includes(text(member(given, 'rel')) ?? '') &&
  /^application\/rdap\+json/i.test(text(member(given, 'type')) ?? '') &&
  /^https?:\/\//i.test(text(member(given, 'href')) ?? '')

const link = (given: unknown) => ({ rel: 'related', type: 'application/rdap+json', href: text(member(given, 'href')) })

function parseObject(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    // Not JSON, such as an HTML page of a gateway.
    return undefined
  }
}

const member = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined

const list = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]).slice(0, listMax) : []

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= textMax ? value : undefined
