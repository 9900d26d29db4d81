import { createRequire } from 'node:module'
import type * as Tldts from 'tldts'

/** The Public Suffix List, loaded at first use: many servers never need it in memory. */
const suffixList = () => createRequire(import.meta.url)('tldts') as typeof Tldts

/**
 * The registrable domain of a name, by the Public Suffix List with its private section.
 * @param name in lower case, without a trailing dot
 * @param section `icann` for the suffixes of registries only: then github.io is a domain, not a suffix
 * @returns null for a public suffix
 */
export function registrableDomain(name: string, section: 'all' | 'icann' = 'all'): string | null {
  // The list has it as a suffix. RFC 8375 makes it the zone of a home network, with device names directly below it.
  if (name === homenet || name.endsWith(`.${homenet}`)) return homenet
  const allowPrivateDomains = section === 'all'
  return suffixList().parse(name, { allowPrivateDomains, extractHostname: false, validateHostname: false }).domain
}

const homenet = 'home.arpa'

/** The last label of a name without a trailing dot. */
export const topLevelOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1)

/** The top-level domain of a name; undefined if the Public Suffix List does not know it. @param name in lower case */
export const knownTopLevelOf = (name: string): string | undefined =>
  suffixList().parse(name, { extractHostname: false, validateHostname: false }).isIcann === true
    ? topLevelOf(name)
    : undefined

/**
 * Whether a zone maps addresses to names (RFC 1035, section 3.5; RFC 3596, section 2.5).
 * @param zone in lower case, without a trailing dot
 */
export const isReverse = (zone: string): boolean =>
  ['in-addr.arpa', 'ip6.arpa'].some((root) => zone === root || zone.endsWith(`.${root}`))

/** A name and all names above it: `ns1.example.net`, `example.net`, `net`. */
export const suffixesOf = (name: string): string[] => name.split('.').map((_, i, labels) => labels.slice(i).join('.'))

/** Whether a name is below another one. */
export const isBelow = (name: string, above: string): boolean => name.endsWith(`.${above}`)

/** The last two labels of a name, which zones above each other have in common: a zone has at least two. */
export const lastLabels = (name: string): string => name.split('.').slice(-2).join('.')
