import { afterEach, describe, expect, it } from 'vitest'
import type { Answer } from 'dns-packet'
import { freePort } from '../../../../../test/servers/index.js'
import { rcodes, startDnsServer, type DnsServer, type DnsResponse } from '../../../test/dns-server.js'
import { networkResolver } from './network-resolver.js'

/** Look-ups, against real sockets. */

const servers: DnsServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()))
})

const txt = (name: string, ...strings: string[]): Answer => ({ type: 'TXT', name, data: strings, ttl: 60 })
const ns = (name: string, data: string): Answer => ({ type: 'NS', name, data, ttl: 60 })
const cname = (name: string, data: string): Answer => ({ type: 'CNAME', name, data, ttl: 60 })

/** An authoritative server: of each name what there is of the type, or the CNAME, which it doesn't follow. */
async function holding(records: readonly Answer[], host?: string): Promise<DnsServer> {
  return saying(({ name, type }) => {
    const here = records.filter((record) => record.name === name.toLowerCase())
    const answers = here.filter((record) => record.type === type || record.type === 'CNAME')
    return { answers, rcode: here.length === 0 ? rcodes.nxdomain : 0 }
  }, host)
}

async function saying(
  say: (question: { name: string; type: string }) => DnsResponse,
  host?: string,
): Promise<DnsServer> {
  const server = await startDnsServer(say, host)
  servers.push(server)
  return server
}

const asking = (...asked: readonly (DnsServer | string)[]) =>
  networkResolver({
    servers: asked.map((server) => (typeof server === 'string' ? server : server.address)),
    deadlineMs: 600,
  })

const nobody = async () => `127.0.0.1:${await freePort()}`

const name = '_svcdns-verify.example.com'

describe('TXT', () => {
  it('gives all records, the strings of each joined', async () => {
    const long = 'x'.repeat(255)
    const server = await holding([txt(name, long, 'y'), txt(name, 'other'), txt(name, 'Case Kept; "quoted" \\ ')])
    const lookUp = await asking(server).txt(name)
    expect(lookUp.kind === 'answers' && lookUp.lists.map((list) => [...list].sort())).toEqual([
      ['Case Kept; "quoted" \\ ', 'other', `${long}y`],
    ])
  })

  it('gives what is too large for UDP', async () => {
    const many = Array.from({ length: 30 }, (_, i) => txt(name, String(i).padStart(100, '-')))
    const server = await holding(many)
    const lookUp = await asking(server).txt(name)
    expect(lookUp.kind === 'answers' && lookUp.lists[0]).toHaveLength(30)
    expect(server.queries).toEqual([`udp TXT ${name}`, `tcp TXT ${name}`])
  })

  it.each<[string, DnsResponse]>([
    ['NXDOMAIN', { rcode: rcodes.nxdomain }],
    ['no data', {}],
    ['SERVFAIL: a lame zone', { rcode: rcodes.servfail }],
    ['REFUSED', { rcode: rcodes.refused }],
  ])('%s is none', async (_what, said) => {
    expect(await asking(await saying(() => said)).txt(name)).toEqual({ kind: 'none' })
  })

  it('a name that is too long to exist is none', async () => {
    const tooLong = Array(5).fill('x'.repeat(60)).join('.')
    expect(await asking(await holding([])).txt(tooLong)).toEqual({ kind: 'none' })
  })

  it('asks at IPv6 addresses', async () => {
    const server = await holding([txt(name, 'six')], '::1')
    expect(await asking(server).txt(name)).toEqual({ kind: 'answers', lists: [['six']] })
  })
})

describe('CNAMEs', () => {
  it('are followed by a recursive resolver, which gives the whole chain', async () => {
    const server = await saying(() => ({ answers: [cname(name, 'v.example.net'), txt('v.example.net', 'value')] }))
    expect(await asking(server).txt(name)).toEqual({ kind: 'answers', lists: [['value']] })
    expect(server.queries).toEqual([`udp TXT ${name}`])
  })

  it('are followed where a server gives no more than the CNAME', async () => {
    const server = await holding([
      cname(name, 'A.example.net'),
      cname('a.example.net', 'b.example.net'),
      txt('b.example.net', 'value'),
    ])
    expect(await asking(server).txt(name)).toEqual({ kind: 'answers', lists: [['value']] })
  })

  it('are followed from one server to another', async () => {
    const first = await holding([cname(name, 'v.example.net')])
    const second = await holding([txt('v.example.net', 'value')])
    expect(await asking(first, second).txt(name)).toEqual({ kind: 'answers', lists: [['value']] })
  })

  it('are followed eight times and no further', async () => {
    const chain = (length: number) =>
      Array.from({ length }, (_, i) => cname(i === 0 ? name : `c${i}.example.net`, `c${i + 1}.example.net`))
    const eight = await holding([...chain(8), txt('c8.example.net', 'value')])
    expect(await asking(eight).txt(name)).toEqual({ kind: 'answers', lists: [['value']] })
    const nine = await holding([...chain(9), txt('c9.example.net', 'value')])
    expect(await asking(nine).txt(name)).toEqual({ kind: 'none' })
  })

  it('that lead in a circle lead nowhere', async () => {
    const server = await holding([cname(name, 'a.example.net'), cname('a.example.net', name)])
    expect(await asking(server).txt(name)).toEqual({ kind: 'none' })
    expect(server.queries).toHaveLength(4)
  })
})

describe('NS', () => {
  it('gives the names in lower case, without a trailing dot', async () => {
    const server = await holding([ns('example.com', 'NS1.Example.NET'), ns('example.com', 'ns2.example.net')])
    const lookUp = await asking(server).ns('example.com')
    expect(lookUp.kind === 'answers' && lookUp.lists.map((list) => [...list].sort())).toEqual([
      ['ns1.example.net', 'ns2.example.net'],
    ])
  })

  it('is none for a zone that does not exist', async () => {
    expect(await asking(await holding([])).ns('example.com')).toEqual({ kind: 'none' })
  })
})

describe('several resolvers', () => {
  it('are asked all: what one does not know yet another may', async () => {
    const old = await holding([txt(name, 'old')])
    const stale = await holding([])
    const fresh = await holding([txt(name, 'new')])
    expect(await asking(old, stale, fresh).txt(name)).toEqual({ kind: 'answers', lists: [['old'], ['new']] })
  })

  it('are told apart: their nameserver sets are not mixed', async () => {
    const before = await holding([ns('example.com', 'ns.old.example')])
    const after = await holding([ns('example.com', 'ns.new.example')])
    expect(await asking(before, after).ns('example.com')).toEqual({
      kind: 'answers',
      lists: [['ns.old.example'], ['ns.new.example']],
    })
  })

  it('do without those that refuse connections or fail', async () => {
    const lame = await saying(() => ({ rcode: rcodes.servfail }))
    const good = await holding([txt(name, 'value')])
    expect(await asking(await nobody(), lame, good).txt(name)).toEqual({ kind: 'answers', lists: [['value']] })
    expect(await asking(await nobody(), lame).txt(name)).toEqual({ kind: 'none' })
  })

  it('do without one that is silent, once the time is up', async () => {
    const silent = await saying(() => 'silence')
    const good = await holding([txt(name, 'value')])
    expect(await asking(silent, good).txt(name)).toEqual({ kind: 'answers', lists: [['value']] })
    const chained = await holding([cname(name, 'v.example.net'), txt('v.example.net', 'value')])
    expect(await asking(silent, chained).txt(name)).toEqual({ kind: 'answers', lists: [['value']] })
    expect(await asking(silent, await holding([])).txt(name)).toEqual({ kind: 'none' })
  })
})

describe('no resolver', () => {
  it('that listens: unreachable, at once', async () => {
    const began = performance.now()
    expect(await asking(await nobody(), await nobody()).txt(name)).toEqual({ kind: 'unreachable' })
    expect(performance.now() - began).toBeLessThan(500)
  })

  it('that answers: unreachable, when the time is up', async () => {
    const silent = await saying(() => 'silence')
    const began = performance.now()
    expect(await asking(silent).ns('example.com')).toEqual({ kind: 'unreachable' })
    expect(performance.now() - began).toBeGreaterThan(590)
    expect(performance.now() - began).toBeLessThan(1_500)
  })

  it('that goes on answering, in a chain longer than there is time for', async () => {
    let asked = 0
    const server = await saying(({ type, name: at }) => {
      if (type === 'TXT' && ++asked > 1) return 'silence'
      return type === 'CNAME' ? { answers: [cname(at, `c${asked}.example.net`)] } : {}
    })
    const began = performance.now()
    expect(await asking(server).txt(name)).toEqual({ kind: 'none' })
    expect(performance.now() - began).toBeLessThan(1_500)
  })
})

it("asks the system's resolvers where none is named", async () => {
  // A name that no resolver may pass on (RFC 6761, section 6.4), so that nobody outside is asked.
  const { kind } = await networkResolver({ servers: [], deadlineMs: 300 }).txt('svc.invalid')
  expect(['none', 'unreachable']).toContain(kind)
})
