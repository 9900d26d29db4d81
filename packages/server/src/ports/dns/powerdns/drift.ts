import type { Difference } from '../port.js'
import { isManaged, type Held } from './zone-document.js'

/** What has to change so that a zone holds what it is to hold: all removals first, as they may stand in the way. */
export interface Repair extends Difference {
  readonly set: Held
}

const keyOf = ({ name, type }: Held): string => `${name} ${type}`

/** RRsets of types that svc does not manage are left alone. */
export function repairs(held: readonly Held[], wanted: readonly Held[]): Repair[] {
  const standing = new Map(held.map((set) => [keyOf(set), set]))
  const asked = new Set(wanted.map(keyOf))
  const removed = held
    .filter((set) => isManaged(set.type) && !asked.has(keyOf(set)))
    .map((set) => repair('remove', { ...set, contents: [] }))
  const set = wanted.flatMap((one) => {
    const before = standing.get(keyOf(one))
    if (before === undefined) return [repair('add', one)]
    return same(before, one) ? [] : [repair('change', one)]
  })
  return [...removed, ...set]
}

const repair = (action: Difference['action'], set: Held): Repair => ({ action, name: set.name, type: set.type, set })

const same = (held: Held, wanted: Held): boolean => held.ttl === wanted.ttl && plain(held) === plain(wanted)

/** The order of the records says nothing (RFC 2181, section 5), nor does the serial of the SOA, which is the provider's own. */
const plain = ({ type, contents }: Held): string =>
  JSON.stringify(contents.map((content) => (type === 'SOA' ? withoutSerial(content) : content)).sort())

const withoutSerial = (soa: string): string => {
  const [mname = '', rname = '', , ...figures] = soa.toLowerCase().split(/\s+/)
  return [mname, rname, ...figures].join(' ')
}

/** Of SOA serials (RFC 1982, section 3.2). */
export const isNewer = (serial: number, than: number): boolean => ((serial - than) | 0) > 0
