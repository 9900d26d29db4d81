import { recordTypes, type RecordType } from '@svc/contract'
import { apex, rnameOf, type ApexSettings } from '../apex.js'
import type { RRset, Zone } from '../port.js'
import { absoluteName, canonicalName } from '../presentation/name.js'
import { parseRdata } from '../types/rdata.js'
import { canonicalContent, contentOf, recordOf } from './content.js'

/** A zone as PowerDNS writes it in JSON (https://doc.powerdns.com/authoritative/http-api/zone.html), and as svc reads it. */

/** An RRset of any type. */
export interface Held {
  /** In lower case, without a trailing dot. */
  readonly name: string
  readonly type: string
  readonly ttl: number
  /** Of svc's types as svc would write it; of others as it came. Those that are switched off are left out. */
  readonly contents: readonly string[]
}

export interface HeldZone {
  readonly sets: readonly Held[]
  /** Of its SOA. */
  readonly serial: number | undefined
  /** Whether the SOA serial moves by itself when RRsets are changed through the API. */
  readonly movesSerial: boolean
  /** Free text of the operator, or svc's mark. */
  readonly account: string
}

/** An RRset as PowerDNS takes it in a change; without contents it is taken away. */
export const changeOf = ({ name, type, ttl, contents }: Held) =>
  contents.length === 0
    ? { name: absoluteName(name), type, changetype: 'DELETE' }
    : {
        ...{ name: absoluteName(name), type, ttl, changetype: 'REPLACE' },
        records: contents.map((content) => ({ content, disabled: false })),
      }

/** An RRset of a managed type, and the contents in it that cannot be parsed. */
export function parseSet({ name, type, ttl, contents }: Held & { type: RecordType }) {
  const parsed = contents.map((content) => ({ content, record: parseRdata(type, content) }))
  return {
    rrset: { name, type, ttl, records: parsed.flatMap(({ record }) => record ?? []) },
    unreadable: parsed.flatMap(({ content, record }) => (record === undefined ? [{ name, type, content }] : [])),
  }
}

/** @returns undefined for what is no such document */
export function readZone(json: unknown): HeldZone | undefined {
  const { rrsets, soa_edit_api: edit, account } = fields(json)
  if (!Array.isArray(rrsets)) return undefined
  const sets = rrsets.map(readSet)
  if (!sets.every((set) => set !== undefined)) return undefined
  return {
    sets: sets.filter(({ contents }) => contents.length > 0),
    serial: serialOf(sets),
    movesSerial: typeof edit === 'string' && edit !== '' && edit.toUpperCase() !== 'OFF',
    account: typeof account === 'string' ? account : '',
  }
}

function serialOf(sets: readonly Held[]): number | undefined {
  const serial = sets.find(({ type }) => type === 'SOA')?.contents[0]?.split(/\s+/)[2]
  return serial === undefined ? undefined : Number(serial)
}

function readSet(json: unknown): Held | undefined {
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

/** The adapter's own: the SOA and NS of the apex. */
export const isApex = (zone: string, { name, type }: Held): boolean =>
  name === zone && (type === 'SOA' || type === 'NS')

/** What a zone is to hold, the adapter's own included. */
export const wantedSets = ({ zone, serial, rrsets }: Zone, settings: ApexSettings): Held[] => [
  { name: zone, type: 'SOA', ttl: apex.soaTtl, contents: [soaContent(zone, serial, settings)] },
  { name: zone, type: 'NS', ttl: apex.nsTtl, contents: settings.nameservers.map(absoluteName) },
  ...rrsets.map(heldOf),
]

export const heldOf = ({ name, type, ttl, records }: RRset): Held => ({
  name,
  type,
  ttl,
  contents: records.map((record) => canonicalContent(type, contentOf(type, record))),
})

export const rrsetOf = ({ name, type, ttl, contents }: Held & { type: RecordType }): RRset => ({
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
