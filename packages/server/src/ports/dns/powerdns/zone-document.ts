import { recordTypes, type RecordType } from '@svc/contract/limits'
import { apex, rnameOf, type ApexSettings } from '../apex.js'
import type { RRset, Zone } from '../port.js'
import { absoluteName, canonicalName } from '../presentation/name.js'
import { parseRdata } from '../types/rdata.js'
import { canonicalContent, contentOf, recordOf } from './content.js'

/** Zones in the JSON of PowerDNS's HTTP API (https://doc.powerdns.com/authoritative/http-api/zone.html). */

/** An RRset of any type, as PowerDNS has it. */
export interface ProviderRRset {
  /** In lower case, without a trailing dot. */
  readonly name: string
  readonly type: string
  readonly ttl: number
  /** The records that are not disabled. Managed types are in the form that svc writes, others as PowerDNS sent them. */
  readonly contents: readonly string[]
}

export interface ProviderZone {
  readonly sets: readonly ProviderRRset[]
  /** The serial of its SOA. */
  readonly serial: number | undefined
  /** Whether PowerDNS increases the SOA serial when RRsets are changed through the API. */
  readonly increasesSerial: boolean
  /** Free text of the operator, or svc's mark. */
  readonly account: string
}

/** The change that sets an RRset, in PowerDNS's JSON; an RRset without contents is deleted. */
export const changeOf = ({ name, type, ttl, contents }: ProviderRRset) =>
  contents.length === 0
    ? { name: absoluteName(name), type, changetype: 'DELETE' }
    : {
        name: absoluteName(name),
        type,
        ttl,
        changetype: 'REPLACE',
        records: contents.map((content) => ({ content, disabled: false })),
      }

/** Parses an RRset of a managed type. Contents that cannot be parsed are returned separately. */
export function parseRecords({ name, type, ttl, contents }: ProviderRRset & { type: RecordType }) {
  const parsed = contents.map((content) => ({ content, record: parseRdata(type, content) }))
  return {
    rrset: { name, type, ttl, records: parsed.flatMap(({ record }) => record ?? []) },
    unreadable: parsed.flatMap(({ content, record }) => (record === undefined ? [{ name, type, content }] : [])),
  }
}

/** @returns undefined if the JSON is not a zone */
export function parseZone(json: unknown): ProviderZone | undefined {
  const { rrsets, soa_edit_api: edit, account } = fields(json)
  if (!Array.isArray(rrsets)) return undefined
  const sets = rrsets.map(parseProviderRRset)
  if (!sets.every((set) => set !== undefined)) return undefined
  return {
    sets: sets.filter(({ contents }) => contents.length > 0),
    serial: serialOf(sets),
    increasesSerial: typeof edit === 'string' && edit !== '' && edit.toUpperCase() !== 'OFF',
    account: typeof account === 'string' ? account : '',
  }
}

function serialOf(sets: readonly ProviderRRset[]): number | undefined {
  const serial = sets.find(({ type }) => type === 'SOA')?.contents[0]?.split(/\s+/)[2]
  return serial === undefined ? undefined : Number(serial)
}

function parseProviderRRset(json: unknown): ProviderRRset | undefined {
  const { name, type, ttl, records } = fields(json)
  if (typeof name !== 'string' || typeof type !== 'string' || typeof ttl !== 'number' || !Array.isArray(records))
    return undefined
  const served = records.map(fields).filter(({ disabled }) => disabled !== true)
  const contents = served.map(({ content }) => content)
  if (!contents.every((content) => typeof content === 'string')) return undefined
  return {
    name: canonicalName(name),
    type,
    ttl,
    contents: contents.map((content) => (isManaged(type) ? canonicalContent(type, content) : content)),
  }
}

export const fields = (json: unknown): Readonly<Record<string, unknown>> =>
  typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {}

export const isManaged = (type: string): type is RecordType => (recordTypes as readonly string[]).includes(type)

/** Whether an RRset is the SOA or NS at the apex, which the adapter maintains. */
export const isApex = (zone: string, { name, type }: ProviderRRset): boolean =>
  name === zone && (type === 'SOA' || type === 'NS')

/** The RRsets that PowerDNS must have for a zone, including the SOA and NS at the apex. */
export const wantedRRsets = ({ zone, serial, rrsets }: Zone, settings: ApexSettings): ProviderRRset[] => [
  { name: zone, type: 'SOA', ttl: apex.soaTtl, contents: [soaContent(zone, serial, settings)] },
  { name: zone, type: 'NS', ttl: apex.nsTtl, contents: settings.nameservers.map(absoluteName) },
  ...rrsets.map(toProviderRRset),
]

export const toProviderRRset = ({ name, type, ttl, records }: RRset): ProviderRRset => ({
  name,
  type,
  ttl,
  contents: records.map((record) => canonicalContent(type, contentOf(type, record))),
})

export const toRRset = ({ name, type, ttl, contents }: ProviderRRset & { type: RecordType }): RRset => ({
  name,
  type,
  ttl,
  records: contents.map((content) => recordOf(type, content)),
})

function soaContent(zone: string, serial: number, settings: ApexSettings): string {
  const [first = zone] = settings.nameservers
  const { refresh, retry, expire, minimum } = apex
  return `${absoluteName(first)} ${absoluteName(rnameOf(settings, zone))} ${serial} ${refresh} ${retry} ${expire} ${minimum}`
}
