import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import { authorityIn } from './content-host.js'

/** The hosts that decide which part of the server answers a request. In lower case, without port and trailing dot. */
export interface ServerHosts {
  readonly content: string
  readonly sitesDomain: string
  /** The origin of the API; undefined if the operator has not set one. */
  readonly publicUrl: string | undefined
}

/** The part of the server that a request is for. `unknown` is a site if the host is a site's own domain, otherwise the API (`route-by-host.ts`). */
export type Destination =
  | { readonly part: 'api' }
  | { readonly part: 'content' }
  | { readonly part: 'site'; readonly host: string }
  | { readonly part: 'unknown'; readonly host: string }

/** Clients choose the spellings, so only so many are kept. */
const knownMax = 1_000
const spellingMax = 300

const api: Destination = { part: 'api' }
const content: Destination = { part: 'content' }

/**
 * Decides by the host of a request. The hosts of the API come first: an address, a name without a dot such as `localhost` or that of a
 * container, and the host of the public URL. A malformed host is left to the API.
 */
export class Destinations {
  readonly #known = new LRUCache<string, Destination>({ max: knownMax })
  readonly #apiHost: string | undefined
  /** Most requests in a row name the same host, and a comparison costs less than a look-up. */
  #last: { readonly spelling: string; readonly destination: Destination } | undefined

  constructor(private readonly hosts: ServerHosts) {
    this.#apiHost = hosts.publicUrl === undefined ? undefined : new URL(hosts.publicUrl).hostname.replace(/\.$/, '')
  }

  of({ url, headers }: Pick<IncomingMessage, 'url' | 'headers'>): Destination {
    // Without the header, HTTP/1.1 is an error and HTTP/1.0 names no host.
    if (headers.host === undefined) return api
    const spelling = authorityIn(url) ?? headers.host
    if (this.#last?.spelling === spelling) return this.#last.destination
    const destination = this.#known.get(spelling) ?? this.#decide(spelling)
    if (spelling.length <= spellingMax) {
      this.#known.set(spelling, destination)
      this.#last = { spelling, destination }
    }
    return destination
  }

  #decide(spelling: string): Destination {
    const host = hostIn(spelling)
    if (host === undefined || host === this.#apiHost) return api
    if (host === this.hosts.content) return content
    if (host === this.hosts.sitesDomain) return api
    if (host.endsWith(`.${this.hosts.sitesDomain}`)) return { part: 'site', host }
    return /^[\d.]+$/.test(host) || !host.includes('.') ? api : { part: 'unknown', host }
  }
}

/** The host of an authority in lower case, without port and trailing dot; undefined for an IPv6 address and a malformed host. */
export function hostIn(authority: string): string | undefined {
  if (authority.length > spellingMax) return undefined
  const host = authority.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
  return /^[\w-]+(?:\.[\w-]+)*$/.test(host) ? host : undefined
}
