import { networkInterfaces } from 'node:os'
import type { RecordType } from 'dns-packet'
import { suffixesOf } from '../../ports/dns/domain-names.js'
import { queryDns, type DnsReply, type DnsServerAddress } from '../../ports/resolver/dns-query.js'

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
      const reply = await queryDns(server, { name, type, transport: 'udp', recursion: true })
      const whole =
        typeof reply !== 'string' && reply.isTruncated
          ? await queryDns(server, { name, type, transport: 'tcp', recursion: true })
          : reply
      if (typeof whole === 'string') throw new NoResolver()
      return whole
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
    return replies.flatMap(({ answers }) =>
      answers.flatMap((answer) => (answer.type === 'A' || answer.type === 'AAAA' ? [answer.data] : [])),
    )
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
      const view = viewOf(zone, await this.#askWhole(address, zone, 'NS'))
      if (view === undefined) continue
      if (view.kind === 'none') return view
      const ds = await this.#askWhole(address, zone, 'DS')
      return { ...view, hasDs: typeof ds !== 'string' && ds.answers.some(({ type }) => type === 'DS') }
    }
    return { kind: 'unknown', parent }
  }

  async #askWhole(address: string, name: string, type: RecordType): ReturnType<typeof queryDns> {
    const reply = await this.ask(address, name, type, 'udp')
    return typeof reply !== 'string' && reply.isTruncated ? this.ask(address, name, type, 'tcp') : reply
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

/** Names are compared without case (RFC 4343). */
const canonical = (name: string): string => name.toLowerCase().replace(/\.$/, '')

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
  for (const answer of reply.additionals)
    if (answer.type === 'A' || answer.type === 'AAAA') {
      const name = canonical(answer.name)
      glue.set(name, [...(glue.get(name) ?? []), answer.data])
    }
  return { kind: 'delegated', names: [...new Set(names)].sort().slice(0, nameserversMax), glue }
}

/** Whether this machine has an IPv6 address for the internet. Without one, IPv6 addresses of nameservers are not checked. */
const hasIpv6 = (): boolean =>
  Object.values(networkInterfaces())
    .flat()
    .some((found) => found?.family === 'IPv6' && !found.internal && !/^f[cde]/i.test(found.address))
