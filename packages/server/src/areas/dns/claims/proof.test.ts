import type { Answer } from 'dns-packet'
import { afterEach, describe, expect, it } from 'vitest'
import { freePort } from '../../../../../../test/servers/index.js'
import { rcodes, startDnsServer, type DnsServer, type DnsResponse } from '../../../../test/dns-server.js'
import { networkResolver } from '../../../ports/resolver/network-resolver.js'
import { challengeName } from '../../../ports/dns/challenge.js'
import { lookUpProof } from './proof.js'
import type { Claim } from './claim.js'

/** Proofs of a pending claim (specification, section 3), looked up at nameservers on real sockets. */

const zone = 'example.com'
const value = 'yJ4c0WmQ8sT2bVnKx7eLrA9uHdPfZg3i'
const pending = { zone, status: 'pending', createdAt: 1 } as const
const contested: Claim = { ...pending, method: 'txt', txtValue: value }
const legacy: Claim = { ...pending, method: 'ns', txtValue: null }
const nameservers = ['ns1.svc.example', 'ns2.svc.example']

const servers: DnsServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()))
})

async function serverWith(response: DnsResponse): Promise<string> {
  const isBeside = (name: string) => name.startsWith('_svcdns-') && name !== challengeName(zone)
  const server = await startDnsServer(({ name }) => (isBeside(name) ? { rcode: rcodes.nxdomain } : response))
  servers.push(server)
  return server.address
}

const txt = (...values: string[]): DnsResponse => ({
  answers: values.map((data): Answer => ({ type: 'TXT', name: challengeName(zone), data, ttl: 60 })),
})
const ns = (...names: string[]): DnsResponse => ({
  answers: names.map((data): Answer => ({ type: 'NS', name: zone, data, ttl: 60 })),
})

const lookUp = (claim: Claim, ...addresses: string[]) =>
  lookUpProof(claim, networkResolver({ servers: addresses, deadlineMs: 500 }), nameservers)

const proves = async (claim: Claim, ...addresses: string[]) => (await lookUp(claim, ...addresses)).isProven

describe('a contested claim', () => {
  it('is looked up at _svcdns-verify.<zone>', async () => {
    const address = await serverWith(txt('x'))
    await proves(contested, address)
    expect(servers[0]?.queries).toEqual(['udp TXT _svcdns-verify.example.com'])
  })

  it.each<[string, DnsResponse, boolean]>([
    ['proven by its value', txt(value), true],
    ['proven by its value among others', txt('v=spf1 -all', value, 'x'), true],
    ['not proven by another value', txt('x'), false],
    ['not proven by its value in another case', txt(value.toUpperCase()), false],
    ['not proven by its value with a space', txt(` ${value}`), false],
    ['not proven by a longer value that starts with it', txt(`${value}x`), false],
    ['not proven by an empty answer', txt(), false],
    ['not proven by NXDOMAIN', { rcode: rcodes.nxdomain }, false],
    ['not proven by SERVFAIL', { rcode: rcodes.servfail }, false],
    ['not proven by NS records', ns(...nameservers), false],
  ])('a contested claim is %s', async (_what, response, proven) => {
    expect(await proves(contested, await serverWith(response))).toBe(proven)
  })

  const target = 'any.elsewhere.example'
  /** Answers with the value at the challenge and at the target, and with an alias at names that `isAlias` selects. */
  async function aliasing(isAlias: (name: string) => boolean, elsewhere: DnsResponse = {}): Promise<string> {
    const server = await startDnsServer(({ type, name }) => {
      if (name === target) return elsewhere
      if (!isAlias(name)) return { rcode: rcodes.nxdomain }
      return type === 'CNAME' ? { answers: [{ type, name, data: target, ttl: 60 }] } : {}
    })
    servers.push(server)
    return server.address
  }
  const atTarget: DnsResponse = { answers: [{ type: 'TXT', name: target, data: value, ttl: 60 }] }

  it('is proven through an alias at the name itself', async () => {
    expect(await proves(contested, await aliasing((name) => name === challengeName(zone), atTarget))).toBe(true)
  })

  it('is not proven through the alias of a wildcard, whose target may answer each query differently', async () => {
    const address = await aliasing((name) => name.endsWith(zone), atTarget)
    expect(await lookUp(contested, address)).toMatchObject({ isProven: false, isFromWildcard: true })
  })

  it('is not proven through an alias if the name beside it cannot be looked up', async () => {
    const server = await startDnsServer(({ type, name }) => {
      if (name === target) return atTarget
      if (name !== challengeName(zone)) return { rcode: rcodes.servfail }
      return type === 'CNAME' ? { answers: [{ type, name, data: target, ttl: 60 }] } : {}
    })
    servers.push(server)
    expect(await lookUp(contested, server.address)).toMatchObject({ isProven: false, isFromWildcard: true })
  })

  it('is not proven by a wildcard TXT record, but by the same value at a resolver without the wildcard', async () => {
    const server = await startDnsServer(({ type, name }) =>
      type === 'TXT' ? { answers: [{ type, name, data: value, ttl: 60 }] } : {},
    )
    servers.push(server)
    expect(await proves(contested, server.address)).toBe(false)
    expect(await proves(contested, server.address, await serverWith(txt(value)))).toBe(true)
  })

  it('is not proven by an empty value if it has no value', async () => {
    expect(await proves({ ...contested, txtValue: null }, await serverWith(txt('')))).toBe(false)
  })

  it('is proven if one of several resolvers returns the value', async () => {
    expect(await proves(contested, await serverWith(txt('old')), await serverWith(txt(value)))).toBe(true)
  })
})

describe('a legacy claim', () => {
  it.each<[string, DnsResponse, boolean]>([
    ['proven by all its nameservers', ns('ns1.svc.example', 'ns2.svc.example'), true],
    ['proven by its nameservers in another order and case', ns('NS2.svc.example', 'ns1.SVC.example'), true],
    ['not proven by one of its nameservers', ns('ns1.svc.example'), false],
    ['not proven by one more nameserver', ns('ns1.svc.example', 'ns2.svc.example', 'ns3.svc.example'), false],
    ['not proven by other nameservers', ns('ns1.else.example', 'ns2.else.example'), false],
    ['not proven by an empty answer', ns(), false],
    ['not proven by SERVFAIL (a lame delegation)', { rcode: rcodes.servfail }, false],
  ])('a legacy claim is %s', async (_what, response, proven) => {
    expect(await proves(legacy, await serverWith(response))).toBe(proven)
  })

  it('is proven by the whole set at one resolver, not by its parts at several', async () => {
    const [one, other, both] = [
      await serverWith(ns('ns1.svc.example')),
      await serverWith(ns('ns2.svc.example')),
      await serverWith(ns(...nameservers)),
    ]
    expect(await proves(legacy, one, other)).toBe(false)
    expect(await proves(legacy, one, other, both)).toBe(true)
  })
})

it.each([
  [contested, 'TXT records of _svcdns-verify.example.com'],
  [legacy, 'NS records of example.com'],
])('502 upstream_error with the zone and each resolver if no resolver can be reached', async (claim, what) => {
  const [closedPort, silent] = [`127.0.0.1:${await freePort()}`, await serverWith('silence')]
  await expect(lookUp(claim, closedPort, silent)).rejects.toMatchObject({
    code: 'upstream_error',
    status: 502,
    message: `No resolver could be reached to look up the ${what}: ${closedPort} could not be reached; ${silent} did not answer in time. Try again later.`,
    extra: { zone },
  })
})
