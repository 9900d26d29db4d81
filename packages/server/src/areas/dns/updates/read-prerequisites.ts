import { recordTypes, type RecordType } from '@svc/contract'
import { groupBy } from '@svc/contract/group-by'
import type { RuledRecord } from '../../../shared/rules.js'
import type { ApexView } from './apex-records.js'
import { wireClass, wireType } from './message.js'
import type { NamedRecord } from './named-record.js'
import { rcode, type Rcode } from '../../../ports/dns/embedded/codes.js'
import { dataOf, type Prerequisite } from './update.js'

/** What the prerequisite section asks (RFC 2136, section 2.4). Conditions that hold in every zone are left out. */
export interface ReadPrerequisites {
  readonly prerequisites: readonly Prerequisite[]
  /** The records that it asks about. */
  readonly read: readonly RuledRecord[]
}

/** Reads the prerequisite section. An error in it counts only if the conditions before it hold (RFC 2136, section 3.2.5). */
export function readPrerequisites(records: readonly NamedRecord[], apex: ApexView): ReadPrerequisites {
  const prerequisites: Prerequisite[] = []
  const compared: NamedRecord[] = []
  for (const record of records) {
    const failed = errorOf(record)
    if (failed !== undefined) {
      prerequisites.push({ kind: 'fails', rcode: failed })
      // Later prerequisites do not count, and RRsets would be compared last.
      return { prerequisites, read: readOf(records) }
    }
    if (record.wire.class === wireClass.in) compared.push(record)
    else prerequisites.push(...existence(record))
  }
  for (const set of groupBy(compared, ({ wire }) => `${wire.name} ${String(wire.type)}`).values())
    prerequisites.push(...comparison(set, apex))
  return { prerequisites, read: readOf(records) }
}

function errorOf({ wire, host }: NamedRecord): Rcode | undefined {
  if (wire.ttl !== 0) return rcode.formErr
  if (host === undefined) return rcode.notZone
  if (wire.class === wireClass.in) return undefined
  const isKnown = wire.class === wireClass.any || wire.class === wireClass.none
  return isKnown && wire.start === wire.end ? undefined : rcode.formErr
}

/** Whether a name, or an RRset, exists or not (RFC 2136, sections 2.4.1 and 2.4.3 to 2.4.5). */
function existence({ wire, host, type }: NamedRecord): Prerequisite[] {
  const exists = wire.class === wireClass.any
  const isName = wire.type === wireType.any
  const isServed = host === '@' && (isName || wire.type === wireType.soa || wire.type === wireType.ns)
  if (!isServed && typeof host === 'string') {
    if (isName) return [{ kind: 'name', host, exists }]
    if (type !== undefined) return [{ kind: 'rrset', host, type, exists }]
  }
  if (isServed === exists) return []
  if (exists) return [{ kind: 'fails', rcode: isName ? rcode.nxDomain : rcode.nxRRset }]
  return [{ kind: 'fails', rcode: isName ? rcode.yxDomain : rcode.yxRRset }]
}

/** Whether an RRset has exactly the given data (RFC 2136, section 2.4.2). */
function comparison(set: readonly NamedRecord[], apex: ApexView): Prerequisite[] {
  const [{ host, type, wire }] = set as [NamedRecord]
  if (host === '@' && wire.type === wireType.soa) {
    const serials = new Set(set.map(({ soa }) => (soa && apex.isSoa(soa) ? soa.serial : undefined)))
    const [serial] = serials
    return [serial !== undefined && serials.size === 1 ? { kind: 'serial', serial } : absent]
  }
  const records = set.flatMap(({ data }) => data ?? [])
  if (typeof host !== 'string' || type === undefined || records.length < set.length) return [absent]
  const data = [...new Set(records.map(dataOf))]
  if (host !== '@' || type !== 'NS') return [{ kind: 'data', host, type, data }]
  return data.length === apex.nsCount && records.every(({ value }) => apex.hasNs(value)) ? [] : [absent]
}

const absent: Prerequisite = { kind: 'fails', rcode: rcode.nxRRset }

/** A question about a name is one about all its types. RRsets that svc itself serves are not secret. */
const readOf = (records: readonly NamedRecord[]): RuledRecord[] =>
  records.flatMap(({ wire, host, type }) => {
    if (typeof host !== 'string') return []
    if (wire.type === wireType.any) return allTypesAt(host)
    return type === undefined || (host === '@' && type === 'NS') ? [] : [{ host, type }]
  })

export const allTypesAt = (host: string): { host: string; type: RecordType }[] =>
  recordTypes.map((type) => ({ host, type }))
