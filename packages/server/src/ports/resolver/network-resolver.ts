import { Resolver as Client, getServers } from 'node:dns/promises'
import * as dns from 'node:dns'
import { hasAnswered, type LookUp, type LookUpResult, type Resolver, type ResolverReply } from './port.js'

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
  const atEach = (lookUp: (resolver: ResolverQuery) => Promise<ResolverReply>) =>
    within((resolvers) => Promise.all(resolvers.map(lookUp)))
  return {
    txt: (name) => within((resolvers) => queryTxt(resolvers, name)),
    cname: (name) => atEach((resolver) => resolver.cname(name)),
    ns: (zone) => atEach((resolver) => resolver.ns(zone)),
    addresses: (name) => atEach((resolver) => resolver.addresses(name)),
  }
}

/** The queries of one look-up to one resolver. */
class ResolverQuery {
  readonly #client = new Client({ timeout: firstTimeoutMs, tries })
  #isCancelled = false

  constructor(private readonly server: string) {
    this.#client.setServers([server])
  }

  txt(name: string): Promise<ResolverReply> {
    return this.#query(async (client) => (await client.resolveTxt(name)).map((strings) => strings.join('')))
  }

  ns(zone: string): Promise<ResolverReply> {
    return this.#query(async (client) => (await client.resolveNs(zone)).map(canonical))
  }

  cname(name: string): Promise<ResolverReply> {
    return this.#query(async (client) => (await client.resolveCname(name)).map(canonical))
  }

  async addresses(name: string): Promise<ResolverReply> {
    const [four, six] = await Promise.all([
      this.#query((client) => client.resolve4(name)),
      this.#query((client) => client.resolve6(name)),
    ])
    const values = [...four.values, ...six.values]
    return values.length > 0 ? { ...four, result: 'found', values } : four
  }

  cancel(): void {
    this.#isCancelled = true
    this.#client.cancel()
  }

  async #query(send: (client: Client) => Promise<readonly string[]>): Promise<ResolverReply> {
    const reply = { resolver: this.server, values: [] }
    if (this.#isCancelled) return { ...reply, result: 'timeout' }
    try {
      const values = await send(this.#client)
      return { ...reply, result: values.length > 0 ? 'found' : 'no_data', values }
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && 'syscall' in error)) throw error
      return { ...reply, result: resultsByCode.get(error.code) ?? 'unreachable' }
    }
  }
}

/** DNS names are compared without case (RFC 4343). */
const canonical = (name: string): string => name.toLowerCase().replace(/\.$/, '')

/** What the error codes of c-ares mean. Others are errors of the network. */
const resultsByCode = new Map<unknown, LookUpResult>([
  [dns.NOTFOUND, 'nxdomain'],
  [dns.NODATA, 'no_data'],
  [dns.SERVFAIL, 'servfail'],
  [dns.REFUSED, 'refused'],
  [dns.TIMEOUT, 'timeout'],
  [dns.CANCELLED, 'timeout'],
  [dns.FORMERR, 'invalid'],
  [dns.NOTIMP, 'invalid'],
  [dns.BADRESP, 'invalid'],
  // The name is too long to exist.
  [dns.BADNAME, 'invalid'],
])

/**
 * Looks up TXT records and follows CNAMEs. A recursive resolver follows them itself, but an authoritative server does not
 * follow them into other zones. Each target is queried at all resolvers. A silent resolver does not delay the others.
 */
async function queryTxt(resolvers: readonly ResolverQuery[], name: string): Promise<LookUp> {
  const seen = new Set([name])
  const found = new Map<ResolverQuery, readonly string[]>()

  async function query(resolver: ResolverQuery, at: string, hops: number): Promise<ResolverReply> {
    const reply = await resolver.txt(at)
    if (reply.result === 'found') found.set(resolver, [...(found.get(resolver) ?? []), ...reply.values])
    else if (hasAnswered(reply) && hops < longestChain) {
      const { values } = await resolver.cname(at)
      const targets = values.filter((target) => !seen.has(target))
      for (const target of targets) seen.add(target)
      await Promise.all(targets.flatMap((target) => resolvers.map((other) => query(other, target, hops + 1))))
    }
    return reply
  }

  const replies = await Promise.all(
    resolvers.map(async (resolver) => [resolver, await query(resolver, name, 0)] as const),
  )
  return replies.map(([resolver, reply]) => {
    const values = found.get(resolver)
    return values ? { ...reply, result: 'found', values } : reply
  })
}
