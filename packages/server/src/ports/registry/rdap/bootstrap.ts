import { readFileSync } from 'node:fs'

/** The bundled list in `data/` of this package. The relative path is the same from src/ and from dist/. */
const bundleUrl = new URL('../../../../data/rdap-bootstrap.json', import.meta.url)

/** A list with fewer top-level domains is damaged. */
const fewest = 500

/** The number of servers per top-level domain that are asked. */
const serversMax = 2

/** The RDAP servers of top-level domains: base URLs, those with https first. */
export type RdapServers = ReadonlyMap<string, readonly string[]>

/** Reads IANA's list (RFC 9224). @throws Error if it is not one */
export function readRdapServers(json: string): RdapServers {
  const { services } = JSON.parse(json) as { services: unknown }
  if (!Array.isArray(services)) throw new TypeError('The list of RDAP servers has no services.')
  const servers = new Map<string, readonly string[]>()
  for (const service of services as unknown[]) {
    const [names, urls] = Array.isArray(service) ? (service as unknown[]) : []
    const usable = texts(urls).filter((url) => /^https?:\/\/./.test(url) && URL.canParse(url))
    const secure = usable.filter((url) => url.startsWith('https:'))
    const best = [...secure, ...usable.filter((url) => !secure.includes(url))].slice(0, serversMax)
    if (best.length > 0) for (const name of texts(names)) servers.set(name.toLowerCase(), best)
  }
  if (servers.size < fewest) throw new RangeError(`The list of RDAP servers has ${String(servers.size)} names.`)
  return servers
}

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? (value as unknown[]).filter((text) => typeof text === 'string') : []

/** The list in the package, for a start without a network. */
export const bundledRdapServers = (): RdapServers => readRdapServers(readFileSync(bundleUrl, 'utf8'))
