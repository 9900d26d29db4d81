import { getServers } from 'node:dns'
import { afterEach, describe, expect, it } from 'vitest'
import type { Answer } from 'dns-packet'
import { freePort } from '../../../../../test/servers/index.js'
import { rcodes, startDnsServer, type DnsServer, type DnsResponse } from '../../../test/dns-server.js'
import { networkResolver } from './network-resolver.js'
import type { LookUp, LookUpResult } from './port.js'

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

const addressOf = (target: DnsServer | string) => (typeof target === 'string' ? target : target.address)

/** Queries the targets. Checks that each has one reply, in their order, and shortens the replies to the result or the values. */
function resolver(...targets: readonly (DnsServer | string)[]) {
  const servers = targets.map(addressOf)
  const { txt: lookUpTxt, ns: lookUpNs, addresses } = networkResolver({ servers, deadlineMs: 600 })
  const shorten = (lookUp: LookUp) => {
    expect(lookUp.map((reply) => reply.resolver)).toEqual(servers)
    return lookUp.map(({ result, values }) => (result === 'found' ? [...values].sort() : result))
  }
  return {
    txt: async (at: string) => shorten(await lookUpTxt(at)),
    ns: async (at: string) => shorten(await lookUpNs(at)),
    addresses: async (at: string) => shorten(await addresses(at)),
  }
}

const closedPort = async () => `127.0.0.1:${await freePort()}`

const name = '_svcdns-verify.example.com'

describe('TXT', () => {
  it('returns all records, each with its strings joined', async () => {
    const long = 'x'.repeat(255)
    const server = await authoritative([txt(name, long, 'y'), txt(name, 'other'), txt(name, 'Case Kept; "quoted" \\ ')])
    const lookUp = await resolver(server).txt(name)
    expect(lookUp).toEqual([['Case Kept; "quoted" \\ ', 'other', `${long}y`]])
  })

  it('returns an answer that is too large for UDP', async () => {
    const many = Array.from({ length: 30 }, (_, i) => txt(name, String(i).padStart(100, '-')))
    const server = await authoritative(many)
    const lookUp = await resolver(server).txt(name)
    expect(lookUp[0]).toHaveLength(30)
    expect(server.queries).toEqual([`udp TXT ${name}`, `tcp TXT ${name}`])
  })

  it.each<[LookUpResult, DnsResponse]>([
    ['nxdomain', { rcode: rcodes.nxdomain }],
    ['no_data', {}],
    ['servfail', { rcode: rcodes.servfail }],
    ['refused', { rcode: rcodes.refused }],
    ['invalid', { rcode: rcodes.notimp }],
  ])('%s for a response without records', async (result, response) => {
    expect(await resolver(await answering(() => response)).txt(name)).toEqual([result])
  })

  it('invalid for a name that is too long to exist', async () => {
    const tooLong = Array(5).fill('x'.repeat(60)).join('.')
    expect(await resolver(await authoritative([])).txt(tooLong)).toEqual(['invalid'])
  })

  it('queries resolvers at IPv6 addresses', async () => {
    const server = await authoritative([txt(name, 'six')], '::1')
    expect(await resolver(server).txt(name)).toEqual([['six']])
  })
})

describe('CNAMEs', () => {
  it('CNAMEs need one query to a recursive resolver, which answers with the whole chain', async () => {
    const server = await answering(() => ({ answers: [cname(name, 'v.example.net'), txt('v.example.net', 'value')] }))
    expect(await resolver(server).txt(name)).toEqual([['value']])
    expect(server.queries).toEqual([`udp TXT ${name}`])
  })

  it('CNAMEs are followed if the server answers with the CNAME only', async () => {
    const server = await authoritative([
      cname(name, 'A.example.net'),
      cname('a.example.net', 'b.example.net'),
      txt('b.example.net', 'value'),
    ])
    expect(await resolver(server).txt(name)).toEqual([['value']])
  })

  it('CNAMEs are followed from one server to another', async () => {
    const first = await authoritative([cname(name, 'v.example.net')])
    const second = await authoritative([txt('v.example.net', 'value')])
    expect(await resolver(first, second).txt(name)).toEqual(['no_data', ['value']])
  })

  it('CNAMEs are followed eight times at most', async () => {
    const chain = (length: number) =>
      Array.from({ length }, (_, i) => cname(i === 0 ? name : `c${i}.example.net`, `c${i + 1}.example.net`))
    const eight = await authoritative([...chain(8), txt('c8.example.net', 'value')])
    expect(await resolver(eight).txt(name)).toEqual([['value']])
    const nine = await authoritative([...chain(9), txt('c9.example.net', 'value')])
    expect(await resolver(nine).txt(name)).toEqual(['no_data'])
  })

  it('no_data for a loop of CNAMEs', async () => {
    const server = await authoritative([cname(name, 'a.example.net'), cname('a.example.net', name)])
    expect(await resolver(server).txt(name)).toEqual(['no_data'])
    expect(server.queries).toHaveLength(4)
  })
})

describe('NS', () => {
  it('returns names in lower case, without a trailing dot', async () => {
    const server = await authoritative([ns('example.com', 'NS1.Example.NET'), ns('example.com', 'ns2.example.net')])
    const lookUp = await resolver(server).ns('example.com')
    expect(lookUp).toEqual([['ns1.example.net', 'ns2.example.net']])
  })

  it('nxdomain for a nonexistent zone', async () => {
    expect(await resolver(await authoritative([])).ns('example.com')).toEqual(['nxdomain'])
  })
})

describe('addresses', () => {
  const four: Answer = { type: 'A', name: 'www.example.com', data: '192.0.2.1', ttl: 60 }
  const six: Answer = { type: 'AAAA', name: 'www.example.com', data: '2001:db8::1', ttl: 60 }

  it('returns those of both families, or of the one that a name has', async () => {
    expect(await resolver(await authoritative([four, six])).addresses('www.example.com')).toEqual([
      ['192.0.2.1', '2001:db8::1'],
    ])
    expect(await resolver(await authoritative([six])).addresses('www.example.com')).toEqual([['2001:db8::1']])
  })

  it('returns those at the end of the CNAMEs in the answer of a recursive resolver', async () => {
    const server = await answering(({ type }) => ({
      answers: [cname('shop.example.com', 'www.example.com'), ...(type === 'A' ? [four] : [])],
    }))
    expect(await resolver(server).addresses('shop.example.com')).toEqual([['192.0.2.1']])
  })

  it('no_data for a name without addresses, and nxdomain for a nonexistent one', async () => {
    const server = await authoritative([txt('www.example.com', 'text')])
    expect(await resolver(server).addresses('www.example.com')).toEqual(['no_data'])
    expect(await resolver(server).addresses('other.example.com')).toEqual(['nxdomain'])
  })
})

describe('several resolvers', () => {
  it('all resolvers are queried, because some may have an old version of the zone', async () => {
    const old = await authoritative([txt(name, 'old')])
    const stale = await authoritative([])
    const fresh = await authoritative([txt(name, 'new')])
    expect(await resolver(old, stale, fresh).txt(name)).toEqual([['old'], 'nxdomain', ['new']])
  })

  it('several resolvers each have a separate list of nameservers in the result', async () => {
    const before = await authoritative([ns('example.com', 'ns.old.example')])
    const after = await authoritative([ns('example.com', 'ns.new.example')])
    expect(await resolver(before, after).ns('example.com')).toEqual([['ns.old.example'], ['ns.new.example']])
  })

  it('resolvers that refuse connections or fail do not affect the answers of others', async () => {
    const lame = await answering(() => ({ rcode: rcodes.servfail }))
    const good = await authoritative([txt(name, 'value')])
    expect(await resolver(await closedPort(), lame, good).txt(name)).toEqual(['unreachable', 'servfail', ['value']])
    expect(await resolver(await closedPort(), lame).txt(name)).toEqual(['unreachable', 'servfail'])
  })

  it('silent resolvers do not affect the answers of others, which come at the deadline', async () => {
    const silent = await answering(() => 'silence')
    const good = await authoritative([txt(name, 'value')])
    expect(await resolver(silent, good).txt(name)).toEqual(['timeout', ['value']])
    const chained = await authoritative([cname(name, 'v.example.net'), txt('v.example.net', 'value')])
    expect(await resolver(silent, chained).txt(name)).toEqual(['timeout', ['value']])
    expect(await resolver(silent, await authoritative([])).txt(name)).toEqual(['timeout', 'nxdomain'])
  })
})

describe('no resolver', () => {
  it('no resolver listens: unreachable, at once', async () => {
    const began = performance.now()
    expect(await resolver(await closedPort(), await closedPort()).txt(name)).toEqual(['unreachable', 'unreachable'])
    expect(performance.now() - began).toBeLessThan(500)
  })

  it('no resolver answers: timeout, at the deadline', async () => {
    const silent = await answering(() => 'silence')
    const began = performance.now()
    expect(await resolver(silent).ns('example.com')).toEqual(['timeout'])
    expect(performance.now() - began).toBeGreaterThan(590)
    expect(performance.now() - began).toBeLessThan(1_500)
  })

  it('no resolver answers the whole of a chain: no_data, at the deadline', async () => {
    let count = 0
    const server = await answering(({ type, name: at }) => {
      if (type === 'TXT' && ++count > 1) return 'silence'
      return type === 'CNAME' ? { answers: [cname(at, `c${count}.example.net`)] } : {}
    })
    const began = performance.now()
    expect(await resolver(server).txt(name)).toEqual(['no_data'])
    expect(performance.now() - began).toBeLessThan(1_500)
  })
})

it("queries the system's resolvers if the list is empty", async () => {
  // A name that no resolver may forward (RFC 6761, section 6.4), so that the query does not leave the network.
  const replies = await networkResolver({ servers: [], deadlineMs: 300 }).txt('svc.invalid')
  expect(replies.map((reply) => reply.resolver)).toEqual(getServers())
  expect(replies.map(({ values }) => values).flat()).toEqual([])
})
