import { networkInterfaces } from 'node:os'
import type { Answer, RecordType, StringAnswer } from 'dns-packet'
import { suffixesOf } from '../../ports/dns/domain-names.js'
import { queryDns, type DnsQuestion, type DnsReply, type DnsServerAddress } from '../../ports/resolver/dns-query.js'

/** Success, and a name that does not exist (RFC 1035, section 4.1.1). */
const rcodes = { ok: 0, nxDomain: 3 } as const

/** Nameservers of the parent zone that are asked before its answer counts as unknown. */
const parentServersMax = 3

/** Nameservers of a zone that are looked at. More fit into an answer, and each costs seconds if it is silent. */
const nameserversMax = 32

/** What the nameservers of the zone above say about a zone. */
export type ParentView =
  | {
      readonly kind: 'delegated'
      /** In lower case, sorted. */
      readonly names: readonly string[]
      /** Addresses that the parent adds for nameservers inside the zone (RFC 9471). */
      readonly glue: ReadonlyMap<string, readonly string[]>
      /** Whether the parent says that the zone is signed (RFC 4035). */
      readonly hasDs: boolean
    }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown'; readonly parent: string }

/** No resolver answers. */
export class NoResolver extends Error {
  constructor() {
    super('No resolver answers')
  }
}

/** Looks at the public DNS through resolvers, and at the nameservers of other zones directly. */
export class PublicDns {
  readonly #hasIpv6 = hasIpv6()
  readonly #parents = new Map<string, Promise<readonly string[]>>()
  readonly #addresses = new Map<string, Promise<readonly string[]>>()

  /** @param port of authoritative nameservers */
  constructor(
    private readonly resolvers: readonly DnsServerAddress[],
    private readonly port: number,
  ) {}

  /** The first answer of a resolver. @throws NoResolver */
  async resolve(name: string, type: RecordType): Promise<DnsReply> {
    const answers = this.resolvers.map(async (server) => {
      const reply = await askWhole(server, { name, type, recursion: true })
      if (typeof reply === 'string') throw new NoResolver()
      return reply
    })
    return Promise.any(answers).catch(() => {
      throw new NoResolver()
    })
  }

  /** The addresses of a host that this machine can reach, from a resolver. @throws NoResolver */
  addressesOf(host: string): Promise<readonly string[]> {
    let known = this.#addresses.get(host)
    if (known === undefined) this.#addresses.set(host, (known = this.#addressesOf(host)))
    return known
  }

  async #addressesOf(host: string): Promise<readonly string[]> {
    const types = this.#hasIpv6 ? (['A', 'AAAA'] as const) : (['A'] as const)
    const replies = await Promise.all(types.map((type) => this.resolve(host, type)))
    return replies.flatMap(({ answers }) => answers.filter(isAddress).map(({ data }) => data))
  }

  /** Asks an authoritative nameserver. */
  ask(address: string, name: string, type: RecordType, transport: 'udp' | 'tcp') {
    return queryDns({ address, port: this.port }, { name, type, transport, recursion: false })
  }

  /** Asks the nameservers of the zone above. @throws NoResolver */
  async parentView(zone: string): Promise<ParentView> {
    const { parent, names } = await this.#parentOf(zone)
    for (const name of names.slice(0, parentServersMax)) {
      const [address] = await this.addressesOf(name)
      if (address === undefined) continue
      const server = { address, port: this.port }
      const view = viewOf(zone, await askWhole(server, { name: zone, type: 'NS', recursion: false }))
      if (view === undefined) continue
      if (view.kind === 'none') return view
      const ds = await askWhole(server, { name: zone, type: 'DS', recursion: false })
      return { ...view, hasDs: typeof ds !== 'string' && ds.answers.some(({ type }) => type === 'DS') }
    }
    return { kind: 'unknown', parent }
  }

  /** The nearest zone above, with its nameservers. */
  async #parentOf(zone: string): Promise<{ parent: string; names: readonly string[] }> {
    for (const parent of [...suffixesOf(zone).slice(1), '.']) {
      let known = this.#parents.get(parent)
      if (known === undefined) this.#parents.set(parent, (known = this.#nameserversOf(parent)))
      const names = await known
      if (names.length > 0) return { parent, names }
    }
    return { parent: '.', names: [] }
  }

  async #nameserversOf(zone: string): Promise<readonly string[]> {
    const { answers } = await this.resolve(zone, 'NS')
    return answers.flatMap((answer) => (answer.type === 'NS' ? [canonical(answer.data)] : []))
  }
}

/** A long answer does not fit into a packet of UDP. */
async function askWhole(server: DnsServerAddress, question: Omit<DnsQuestion, 'transport'>) {
  const reply = await queryDns(server, { ...question, transport: 'udp' })
  return typeof reply !== 'string' && reply.isTruncated ? queryDns(server, { ...question, transport: 'tcp' }) : reply
}

/** Names are compared without case (RFC 4343). */
const canonical = (name: string): string => name.toLowerCase().replace(/\.$/, '')

const isAddress = (answer: Answer): answer is StringAnswer => answer.type === 'A' || answer.type === 'AAAA'

/** @returns undefined if the server does not know */
function viewOf(
  zone: string,
  reply: DnsReply | string,
): { kind: 'none' } | { kind: 'delegated'; names: string[]; glue: Map<string, string[]> } | undefined {
  if (typeof reply === 'string') return undefined
  const names = [...reply.answers, ...reply.authorities].flatMap((answer) =>
    answer.type === 'NS' && canonical(answer.name) === zone ? [canonical(answer.data)] : [],
  )
  if (names.length === 0) {
    const isAnswered = reply.isAuthoritative && (reply.rcode === rcodes.ok || reply.rcode === rcodes.nxDomain)
    return isAnswered ? { kind: 'none' } : undefined
  }
  const glue = new Map<string, string[]>()
  for (const { name, data } of reply.additionals.filter(isAddress))
    glue.set(canonical(name), [...(glue.get(canonical(name)) ?? []), data])
  return { kind: 'delegated', names: [...new Set(names)].sort().slice(0, nameserversMax), glue }
}

/** Whether this machine has an IPv6 address for the internet. Without one, IPv6 addresses of nameservers are not checked. */
const hasIpv6 = (): boolean =>
  Object.values(networkInterfaces())
    .flat()
    .some((found) => found?.family === 'IPv6' && !found.internal && !/^f[cde]/i.test(found.address))
