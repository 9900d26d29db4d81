import { afterEach, describe, expect, it } from 'vitest'
import type { Answer } from 'dns-packet'
import { freePort } from '../../../../../test/servers/index.js'
import { rcodes, startDnsServer, type DnsServer, type DnsResponse } from '../../../test/dns-server.js'
import { networkResolver } from './network-resolver.js'

/** Look-ups through real sockets. */

const servers: DnsServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()))
})

const txt = (name: string, ...strings: string[]): Answer => ({ type: 'TXT', name, data: strings, ttl: 60 })
const ns = (name: string, data: string): Answer => ({ type: 'NS', name, data, ttl: 60 })
const cname = (name: string, data: string): Answer => ({ type: 'CNAME', name, data, ttl: 60 })

/** An authoritative server: answers with the records of the name and type, or with the CNAME, which it does not follow. */
async function authoritative(records: readonly Answer[], host?: string): Promise<DnsServer> {
  return answering(({ name, type }) => {
    const here = records.filter((record) => record.name === name.toLowerCase())
    const answers = here.filter((record) => record.type === type || record.type === 'CNAME')
    return { answers, rcode: here.length === 0 ? rcodes.nxdomain : 0 }
  }, host)
}

async function answering(
  respond: (question: { name: string; type: string }) => DnsResponse,
  host?: string,
): Promise<DnsServer> {
  const server = await startDnsServer(respond, host)
  servers.push(server)
  return server
}

const resolver = (...targets: readonly (DnsServer | string)[]) =>
  networkResolver({
    servers: targets.map((server) => (typeof server === 'string' ? server : server.address)),
    deadlineMs: 600,
  })

const closedPort = async () => `127.0.0.1:${await freePort()}`

const name = '_svcdns-verify.example.com'

describe('TXT', () => {
  it('returns all records, each with its strings joined', async () => {
    const long = 'x'.repeat(255)
    const server = await authoritative([txt(name, long, 'y'), txt(name, 'other'), txt(name, 'Case Kept; "quoted" \\ ')])
    const lookUp = await resolver(server).txt(name)
    expect(lookUp.kind === 'answers' && lookUp.lists.map((list) => [...list].sort())).toEqual([
      ['Case Kept; "quoted" \\ ', 'other', `${long}y`],
    ])
  })

  it('returns an answer that is too large for UDP', async () => {
    const many = Array.from({ length: 30 }, (_, i) => txt(name, String(i).padStart(100, '-')))
    const server = await authoritative(many)
    const lookUp = await resolver(server).txt(name)
    expect(lookUp.kind === 'answers' && lookUp.lists[0]).toHaveLength(30)
    expect(server.queries).toEqual([`udp TXT ${name}`, `tcp TXT ${name}`])
  })

  it.each<[string, DnsResponse]>([
    ['NXDOMAIN', { rcode: rcodes.nxdomain }],
    ['NODATA', {}],
    ['SERVFAIL, as for a lame zone', { rcode: rcodes.servfail }],
    ['REFUSED', { rcode: rcodes.refused }],
  ])('kind none for %s', async (_what, response) => {
    expect(await resolver(await answering(() => response)).txt(name)).toEqual({ kind: 'none' })
  })

  it('kind none for a name that is too long to exist', async () => {
    const tooLong = Array(5).fill('x'.repeat(60)).join('.')
    expect(await resolver(await authoritative([])).txt(tooLong)).toEqual({ kind: 'none' })
  })

  it('queries resolvers at IPv6 addresses', async () => {
    const server = await authoritative([txt(name, 'six')], '::1')
    expect(await resolver(server).txt(name)).toEqual({ kind: 'answers', lists: [['six']] })
  })
})

describe('CNAMEs', () => {
  it('need one query to a recursive resolver, which answers with the whole chain', async () => {
    const server = await answering(() => ({ answers: [cname(name, 'v.example.net'), txt('v.example.net', 'value')] }))
    expect(await resolver(server).txt(name)).toEqual({ kind: 'answers', lists: [['value']] })
    expect(server.queries).toEqual([`udp TXT ${name}`])
  })

  it('are followed if the server answers with the CNAME only', async () => {
    const server = await authoritative([
      cname(name, 'A.example.net'),
      cname('a.example.net', 'b.example.net'),
      txt('b.example.net', 'value'),
    ])
    expect(await resolver(server).txt(name)).toEqual({ kind: 'answers', lists: [['value']] })
  })

  it('are followed from one server to another', async () => {
    const first = await authoritative([cname(name, 'v.example.net')])
    const second = await authoritative([txt('v.example.net', 'value')])
    expect(await resolver(first, second).txt(name)).toEqual({ kind: 'answers', lists: [['value']] })
  })

  it('are followed eight times at most', async () => {
    const chain = (length: number) =>
      Array.from({ length }, (_, i) => cname(i === 0 ? name : `c${i}.example.net`, `c${i + 1}.example.net`))
    const eight = await authoritative([...chain(8), txt('c8.example.net', 'value')])
    expect(await resolver(eight).txt(name)).toEqual({ kind: 'answers', lists: [['value']] })
    const nine = await authoritative([...chain(9), txt('c9.example.net', 'value')])
    expect(await resolver(nine).txt(name)).toEqual({ kind: 'none' })
  })

  it('kind none for a loop', async () => {
    const server = await authoritative([cname(name, 'a.example.net'), cname('a.example.net', name)])
    expect(await resolver(server).txt(name)).toEqual({ kind: 'none' })
    expect(server.queries).toHaveLength(4)
  })
})

describe('NS', () => {
  it('returns names in lower case, without a trailing dot', async () => {
    const server = await authoritative([ns('example.com', 'NS1.Example.NET'), ns('example.com', 'ns2.example.net')])
    const lookUp = await resolver(server).ns('example.com')
    expect(lookUp.kind === 'answers' && lookUp.lists.map((list) => [...list].sort())).toEqual([
      ['ns1.example.net', 'ns2.example.net'],
    ])
  })

  it('kind none for a nonexistent zone', async () => {
    expect(await resolver(await authoritative([])).ns('example.com')).toEqual({ kind: 'none' })
  })
})

describe('several resolvers', () => {
  it('are all queried, because some may have an old version of the zone', async () => {
    const old = await authoritative([txt(name, 'old')])
    const stale = await authoritative([])
    const fresh = await authoritative([txt(name, 'new')])
    expect(await resolver(old, stale, fresh).txt(name)).toEqual({ kind: 'answers', lists: [['old'], ['new']] })
  })

  it('each have a separate list of nameservers in the result', async () => {
    const before = await authoritative([ns('example.com', 'ns.old.example')])
    const after = await authoritative([ns('example.com', 'ns.new.example')])
    expect(await resolver(before, after).ns('example.com')).toEqual({
      kind: 'answers',
      lists: [['ns.old.example'], ['ns.new.example']],
    })
  })

  it('resolvers that refuse connections or fail do not affect the answers of others', async () => {
    const lame = await answering(() => ({ rcode: rcodes.servfail }))
    const good = await authoritative([txt(name, 'value')])
    expect(await resolver(await closedPort(), lame, good).txt(name)).toEqual({ kind: 'answers', lists: [['value']] })
    expect(await resolver(await closedPort(), lame).txt(name)).toEqual({ kind: 'none' })
  })

  it('silent resolvers do not affect the answers of others, which come at the deadline', async () => {
    const silent = await answering(() => 'silence')
    const good = await authoritative([txt(name, 'value')])
    expect(await resolver(silent, good).txt(name)).toEqual({ kind: 'answers', lists: [['value']] })
    const chained = await authoritative([cname(name, 'v.example.net'), txt('v.example.net', 'value')])
    expect(await resolver(silent, chained).txt(name)).toEqual({ kind: 'answers', lists: [['value']] })
    expect(await resolver(silent, await authoritative([])).txt(name)).toEqual({ kind: 'none' })
  })
})

describe('no resolver', () => {
  it('no resolver listens: unreachable, at once', async () => {
    const began = performance.now()
    expect(await resolver(await closedPort(), await closedPort()).txt(name)).toEqual({ kind: 'unreachable' })
    expect(performance.now() - began).toBeLessThan(500)
  })

  it('no resolver answers: unreachable, at the deadline', async () => {
    const silent = await answering(() => 'silence')
    const began = performance.now()
    expect(await resolver(silent).ns('example.com')).toEqual({ kind: 'unreachable' })
    expect(performance.now() - began).toBeGreaterThan(590)
    expect(performance.now() - began).toBeLessThan(1_500)
  })

  it('no resolver answers the whole of a chain: kind none, at the deadline', async () => {
    let count = 0
    const server = await answering(({ type, name: at }) => {
      if (type === 'TXT' && ++count > 1) return 'silence'
      return type === 'CNAME' ? { answers: [cname(at, `c${count}.example.net`)] } : {}
    })
    const began = performance.now()
    expect(await resolver(server).txt(name)).toEqual({ kind: 'none' })
    expect(performance.now() - began).toBeLessThan(1_500)
  })
})

it("queries the system's resolvers if the list is empty", async () => {
  // A name that no resolver may forward (RFC 6761, section 6.4), so that the query does not leave the network.
  const { kind } = await networkResolver({ servers: [], deadlineMs: 300 }).txt('svc.invalid')
  expect(['none', 'unreachable']).toContain(kind)
})
