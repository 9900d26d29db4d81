import { isQualifiedHostName } from '../../../shared/host-name.js'
import { parseRegistryDate } from '../dates.js'
import type { Registration } from '../port.js'
import { entriesOf, type Entry } from './entries.js'
import { datedObjects, labels, otherObjects, otherSections, zoneOf, type Field } from './fields.js'

/** Values of a list that are kept, and the longest value. */
const listMax = 64
const textMax = 255

/** The data of a WHOIS answer. */
export interface WhoisRecord extends Omit<Registration, 'domain' | 'source' | 'raw'> {
  /** The domain that the answer is about, in lower case; undefined if it does not say. */
  readonly domain: string | undefined
  /** The host of another WHOIS server that knows more; undefined without. */
  readonly referral: string | undefined
}

/** Reads an answer by the table of labels. Unknown labels are ignored. */
export function parseWhois(text: string, topLevel: string): WhoisRecord {
  const entries = byLabel(entriesOf(text))
  const values = (field: Field): readonly string[] => valuesOf(entries, field)
  const zone = zoneOf.get(topLevel)
  const time = (field: Field): number | null => {
    for (const value of values(field)) {
      const parsed = parseRegistryDate(dateIn(value), zone)
      if (parsed !== undefined) return parsed
    }
    return null
  }
  const [registrar = null] = values('registrar')
  return {
    domain: values('domain')[0]?.toLowerCase().replace(/\.$/, ''),
    registrar: registrar === null ? null : registrar.replace(/ \[Tag = [^\]]{1,50}\]$/, ''),
    createdAt: time('created'),
    updatedAt: time('updated'),
    expiresAt: time('expires'),
    nameservers: unique(values('nameservers').flatMap(hostIn)),
    statuses: unique(values('statuses').map(statusIn)),
    dnssec: isSigned(values('dnssec')),
    referral: referralIn(values('referral')),
  }
}

type EntriesByLabel = ReadonlyMap<string, readonly Entry[]>

function byLabel(entries: readonly Entry[]): EntriesByLabel {
  const lists = new Map<string, Entry[]>()
  for (const entry of entries) {
    const list = lists.get(entry.label) ?? []
    list.push(entry)
    lists.set(entry.label, list)
  }
  return lists
}

/** In the order of the table, and then of the answer. */
function valuesOf(entries: EntriesByLabel, field: Field): readonly string[] {
  return (labels[field] as readonly string[]).flatMap((name) => {
    const [section, label] = name.includes('/') ? name.split('/') : [undefined, name]
    return (entries.get(label) ?? [])
      .filter((entry) =>
        section === undefined ? isOfDomain(entry, field) : [entry.section, entry.object].includes(section),
      )
      .map(({ value }) => value.slice(0, textMax))
  })
}

const dates: readonly Field[] = ['created', 'updated', 'expires']

/** A registrar's section has its dates and its name; the nameservers of .cz are in another object. */
const isOfDomain = ({ section, object }: Entry, field: Field): boolean =>
  !otherSections.test(section) &&
  (section !== 'registrar' || field === 'referral') &&
  (field === 'nameservers' || !otherObjects.has(object)) &&
  (!datedObjects.has(object) || !dates.includes(field))

/** `Connected (2028/06/30)`, `Registered on 30th April 2003`, `19960424 #7137`. */
const dateIn = (value: string): string =>
  /^Connected \((?<date>[\d/]{8,10})\)/.exec(value)?.groups?.['date'] ?? value.replace(/^Registered on /, '')

/** `ns1.example.net 192.0.2.1`, `ns1.example.net. (192.0.2.1)`. */
function hostIn(value: string): readonly string[] {
  const host = (/^[^\s(,[]+/.exec(value)?.[0] ?? '').toLowerCase().replace(/\.$/, '')
  return isQualifiedHostName(host) ? [host] : []
}

/** `clientHold https://icann.org/epp#clientHold` */
const statusIn = (value: string): string => value.replace(/ \(?https?:\/\/\S+$/, '')

function isSigned(values: readonly string[]): boolean | null {
  const [value] = values
  if (value === undefined) return null
  return !/^(no\b|unsigned|inactive|none|false|-)/i.test(value)
}

function referralIn(values: readonly string[]): string | undefined {
  const hosts = values.map((value) =>
    value
      .toLowerCase()
      .replace(/^r?whois:\/\//, '')
      .replace(/(:43)?\/?$/, ''),
  )
  return hosts.find((host) => isQualifiedHostName(host))
}

const unique = (values: readonly string[]): readonly string[] => [...new Set(values)].slice(0, listMax)
