import { Resolver as Client, getServers } from 'node:dns/promises'
import * as dns from 'node:dns'
import type { LookUp, Resolver } from './port.js'

/** The longest time for a look-up, with all of its retries. */
const defaultDeadlineMs = 5_000

/** The wait for an answer before the first retry. Each further wait is twice as long. */
const firstTimeoutMs = 1_000
const tries = 3

/** The longest chain of CNAMEs that is followed (RFC 1034, section 3.6.2). */
const longestChain = 8

export interface NetworkResolverOptions {
  /** `ip`, `ip:port` or `[ip]:port`. An empty list selects the resolvers of the system. */
  readonly servers: readonly string[]
  readonly deadlineMs?: number
}

/** The answer of one resolver: an empty list if the record does not exist. */
type Reply = readonly string[] | 'unreachable'

/** Queries every resolver separately. A client with several servers would stop at the first answer. */
export function networkResolver({ servers, deadlineMs = defaultDeadlineMs }: NetworkResolverOptions): Resolver {
  async function within<R>(lookUp: (resolvers: readonly ResolverQuery[]) => Promise<R>): Promise<R> {
    const resolvers = (servers.length > 0 ? servers : getServers()).map((server) => new ResolverQuery(server))
    const deadline = setTimeout(() => {
      for (const resolver of resolvers) resolver.cancel()
    }, deadlineMs)
    try {
      return await lookUp(resolvers)
    } finally {
      clearTimeout(deadline)
    }
  }
  return {
    txt: (name) => within((resolvers) => queryTxt(resolvers, name)),
    ns: (zone) =>
      within(async (resolvers) => combine(await Promise.all(resolvers.map((resolver) => resolver.ns(zone))))),
  }
}

/** The queries of one look-up to one resolver. */
class ResolverQuery {
  readonly #client = new Client({ timeout: firstTimeoutMs, tries })
  #isCancelled = false

  constructor(server: string) {
    this.#client.setServers([server])
  }

  txt(name: string): Promise<Reply> {
    return this.#query(async (client) => (await client.resolveTxt(name)).map((strings) => strings.join('')))
  }

  ns(zone: string): Promise<Reply> {
    return this.#query(async (client) => (await client.resolveNs(zone)).map(canonical))
  }

  cname(name: string): Promise<Reply> {
    return this.#query(async (client) => (await client.resolveCname(name)).map(canonical))
  }

  cancel(): void {
    this.#isCancelled = true
    this.#client.cancel()
  }

  async #query(send: (client: Client) => Promise<readonly string[]>): Promise<Reply> {
    if (this.#isCancelled) return 'unreachable'
    try {
      return await send(this.#client)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && 'syscall' in error)) throw error
      return answeredCodes.has(error.code) ? [] : 'unreachable'
    }
  }
}

/** DNS names are compared without case (RFC 4343). */
const canonical = (name: string): string => name.toLowerCase().replace(/\.$/, '')

/** Error codes that mean that the resolver has answered. SERVFAIL and REFUSED are the answers for a lame zone. */
const answeredCodes = new Set<unknown>([
  ...[dns.NODATA, dns.NOTFOUND, dns.SERVFAIL, dns.REFUSED, dns.FORMERR, dns.NOTIMP, dns.BADRESP],
  // The name is too long to exist.
  dns.BADNAME,
])

/**
 * Looks up TXT records and follows CNAMEs. A recursive resolver follows them itself, but an authoritative server does not
 * follow them into other zones. Each target is queried at all resolvers. A silent resolver does not delay the others.
 */
async function queryTxt(resolvers: readonly ResolverQuery[], name: string): Promise<LookUp> {
  const seen = new Set<string>()

  async function at(next: string, hops: number): Promise<readonly Reply[]> {
    if (hops > longestChain || seen.has(next)) return []
    seen.add(next)
    const replies = await Promise.all(resolvers.map((resolver) => from(resolver, next, hops)))
    return replies.flat()
  }

  async function from(resolver: ResolverQuery, next: string, hops: number): Promise<readonly Reply[]> {
    const reply = await resolver.txt(next)
    if (reply === 'unreachable' || reply.length > 0) return [reply]
    const targets = await resolver.cname(next)
    if (targets === 'unreachable') return [reply]
    const replies = await Promise.all(targets.map((target) => at(target, hops + 1)))
    return [reply, ...replies.flat()]
  }

  return combine(await at(name, 0))
}

function combine(replies: readonly Reply[]): LookUp {
  const reached = replies.filter((reply) => reply !== 'unreachable')
  if (reached.length === 0) return { kind: 'unreachable' }
  const lists = reached.filter((list) => list.length > 0)
  return lists.length > 0 ? { kind: 'answers', lists } : { kind: 'none' }
}
