import type { Difference } from '../port.js'
import { isManaged, type ProviderRRset } from './zone-document.js'

/** The change of one RRset that repairs a difference. */
export interface Repair extends Difference {
  /** The RRset after the repair; without contents if it is removed. */
  readonly set: ProviderRRset
}

const keyOf = ({ name, type }: ProviderRRset): string => `${name} ${type}`

/**
 * The changes that make a provider's zone equal to the wanted one. Removals come first, because an RRset to remove may
 * conflict with one to add. RRsets of types that svc does not manage are left alone.
 */
export function computeRepairs(existing: readonly ProviderRRset[], wanted: readonly ProviderRRset[]): Repair[] {
  const existingByKey = new Map(existing.map((set) => [keyOf(set), set]))
  const wantedKeys = new Set(wanted.map(keyOf))
  const removals = existing
    .filter((set) => isManaged(set.type) && !wantedKeys.has(keyOf(set)))
    .map((set) => repair('remove', { ...set, contents: [] }))
  const additionsAndChanges = wanted.flatMap((set) => {
    const before = existingByKey.get(keyOf(set))
    if (before === undefined) return [repair('add', set)]
    return isSame(before, set) ? [] : [repair('change', set)]
  })
  return [...removals, ...additionsAndChanges]
}

const repair = (action: Difference['action'], set: ProviderRRset): Repair => ({
  action,
  name: set.name,
  type: set.type,
  set,
})

const isSame = (a: ProviderRRset, b: ProviderRRset): boolean =>
  a.ttl === b.ttl && comparableContents(a) === comparableContents(b)

/** Ignores the order of the records (RFC 2181, section 5) and the serial of the SOA, which the provider maintains. */
const comparableContents = ({ type, contents }: ProviderRRset): string =>
  JSON.stringify(contents.map((content) => (type === 'SOA' ? withoutSerial(content) : content)).sort())

const withoutSerial = (soa: string): string => {
  const [mname = '', rname = '', , ...timers] = soa.toLowerCase().split(/\s+/)
  return [mname, rname, ...timers].join(' ')
}
