import { Resolver as Client, getServers } from 'node:dns/promises'
import * as dns from 'node:dns'
import type { LookUp, Resolver } from './port.js'

/** What a look-up takes at most, whatever the resolvers do. */
const defaultDeadlineMs = 5_000

/** Before a resolver is asked again; each wait is twice the one before. */
const firstTimeoutMs = 1_000
const tries = 3

/** CNAMEs in a row (RFC 1034, section 3.6.2: chains are to be followed, loops to be noticed). */
const longestChain = 8

export interface NetworkResolverOptions {
  /** `ip`, `ip:port` or `[ip]:port`; none for those of the system. */
  readonly servers: readonly string[]
  readonly deadlineMs?: number
}

/** What one resolver says: nothing where it was reached and has no such record. */
type Reply = readonly string[] | 'unreachable'

/** Asks resolvers over the network: each by itself, as the library would take the first answer of any for that of all. */
export function networkResolver({ servers, deadlineMs = defaultDeadlineMs }: NetworkResolverOptions): Resolver {
  async function within<R>(lookUp: (resolvers: readonly Asked[]) => Promise<R>): Promise<R> {
    const resolvers = (servers.length > 0 ? servers : getServers()).map((server) => new Asked(server))
    const deadline = setTimeout(() => {
      for (const resolver of resolvers) resolver.giveUp()
    }, deadlineMs)
    try {
      return await lookUp(resolvers)
    } finally {
      clearTimeout(deadline)
    }
  }
  return {
    txt: (name) => within((resolvers) => followed(resolvers, name)),
    ns: (zone) =>
      within(async (resolvers) => summed(await Promise.all(resolvers.map((resolver) => resolver.ns(zone))))),
  }
}

/** One resolver, for one look-up. */
class Asked {
  readonly #client = new Client({ timeout: firstTimeoutMs, tries })
  #givenUp = false

  constructor(server: string) {
    this.#client.setServers([server])
  }

  txt(name: string): Promise<Reply> {
    return this.#ask(async (client) => (await client.resolveTxt(name)).map((strings) => strings.join('')))
  }

  ns(zone: string): Promise<Reply> {
    return this.#ask(async (client) => (await client.resolveNs(zone)).map(canonical))
  }

  cname(name: string): Promise<Reply> {
    return this.#ask(async (client) => (await client.resolveCname(name)).map(canonical))
  }

  giveUp(): void {
    this.#givenUp = true
    this.#client.cancel()
  }

  async #ask(query: (client: Client) => Promise<readonly string[]>): Promise<Reply> {
    if (this.#givenUp) return 'unreachable'
    try {
      return await query(this.#client)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && 'syscall' in error)) throw error
      return answered.has(error.code) ? [] : 'unreachable'
    }
  }
}

/** Names of one spelling: the DNS knows no case. */
const canonical = (name: string): string => name.toLowerCase().replace(/\.$/, '')

/** What the library reports when a resolver was reached; SERVFAIL and REFUSED for one come of a lame zone. */
const answered = new Set<unknown>([
  ...[dns.NODATA, dns.NOTFOUND, dns.SERVFAIL, dns.REFUSED, dns.FORMERR, dns.NOTIMP, dns.BADRESP],
  // The name is too long to exist.
  dns.BADNAME,
])

/**
 * A recursive resolver follows CNAMEs by itself; one that is authoritative only leaves those that lead elsewhere to who
 * asks. What leads on at one resolver may end at another, and nobody waits for one that is silent.
 */
async function followed(resolvers: readonly Asked[], name: string): Promise<LookUp> {
  const seen = new Set<string>()

  async function at(next: string, hops: number): Promise<readonly Reply[]> {
    if (hops > longestChain || seen.has(next)) return []
    seen.add(next)
    const replies = await Promise.all(resolvers.map((resolver) => from(resolver, next, hops)))
    return replies.flat()
  }

  async function from(resolver: Asked, next: string, hops: number): Promise<readonly Reply[]> {
    const reply = await resolver.txt(next)
    if (reply === 'unreachable' || reply.length > 0) return [reply]
    const targets = await resolver.cname(next)
    if (targets === 'unreachable') return [reply]
    const replies = await Promise.all(targets.map((target) => at(target, hops + 1)))
    return [reply, ...replies.flat()]
  }

  return summed(await at(name, 0))
}

function summed(replies: readonly Reply[]): LookUp {
  const reached = replies.filter((reply) => reply !== 'unreachable')
  if (reached.length === 0) return { kind: 'unreachable' }
  const lists = reached.filter((list) => list.length > 0)
  return lists.length > 0 ? { kind: 'answers', lists } : { kind: 'none' }
}
