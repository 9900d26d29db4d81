import { specialUseNames } from '@svc/contract/public-name'
import { suffixesOf } from '../../../ports/dns/domain-names.js'

/**
 * Names of private networks, which the public DNS does not have: special-use domain names and locally served zones (IANA registries). No
 * look-up can prove control of them.
 */

const numbers = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, n) => first + n)

/** Reverse zones of addresses that mean something else in each network: octets and nibbles before in-addr.arpa and ip6.arpa. */
const locallyServed = {
  v4: {
    'RFC 1918': ['10', ...numbers(16, 31).map((octet) => `${octet}.172`), '168.192'],
    'RFC 6303, section 4.2': ['0', '127', '254.169', '255.255.255.255'],
    'RFC 7793': numbers(64, 127).map((octet) => `${octet}.100`),
  },
  v6: {
    'RFC 6303, section 4.3': [`${'0.'.repeat(31)}0`, `1.${'0.'.repeat(30)}0`],
    'RFC 6303, section 4.4': ['d.f'],
    'RFC 6303, section 4.5': ['8.e.f', '9.e.f', 'a.e.f', 'b.e.f'],
  },
} as const

const entriesOf = (names: Readonly<Record<string, readonly string[]>>, root = '') =>
  Object.entries(names).flatMap(([source, list]) => list.map((name) => [`${name}${root}`, source] as const))

const sources: ReadonlyMap<string, string> = new Map([
  ...entriesOf(specialUseNames),
  ...entriesOf(locallyServed.v4, '.in-addr.arpa'),
  ...entriesOf(locallyServed.v6, '.ip6.arpa'),
])

/** A name that the public DNS does not have, and the document that says so. */
export interface PrivateName {
  readonly name: string
  readonly source: string
}

/** The private name that a zone is or is below; undefined for a zone that the public DNS can have. @param zone canonical */
export function privateNameOf(zone: string): PrivateName | undefined {
  for (const name of suffixesOf(zone)) {
    const source = sources.get(name)
    if (source !== undefined) return { name, source }
  }
  return undefined
}
