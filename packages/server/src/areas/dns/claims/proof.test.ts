import type { Answer } from 'dns-packet'
import { afterEach, describe, expect, it } from 'vitest'
import { freePort } from '../../../../../../test/servers/index.js'
import { rcodes, startDnsServer, type DnsServer, type DnsResponse } from '../../../../test/dns-server.js'
import { networkResolver } from '../../../ports/resolver/network-resolver.js'
import { challengeName, isProven } from './proof.js'
import type { Claim } from './claim.js'

/** What proves a pending claim (specification, section 3), looked up at nameservers on real sockets. */

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

async function saying(said: DnsResponse): Promise<string> {
  const server = await startDnsServer(() => said)
  servers.push(server)
  return server.address
}

const txt = (...values: string[]): DnsResponse => ({
  answers: values.map((data): Answer => ({ type: 'TXT', name: challengeName(zone), data, ttl: 60 })),
})
const ns = (...names: string[]): DnsResponse => ({
  answers: names.map((data): Answer => ({ type: 'NS', name: zone, data, ttl: 60 })),
})

const proves = (claim: Claim, ...addresses: string[]) =>
  isProven(claim, networkResolver({ servers: addresses, deadlineMs: 500 }), nameservers)

describe('a contested claim', () => {
  it('is asked for at _svcdns-verify.<zone>', async () => {
    const address = await saying(txt(value))
    await proves(contested, address)
    expect(servers[0]?.queries).toEqual(['udp TXT _svcdns-verify.example.com'])
  })

  it.each<[string, DnsResponse, boolean]>([
    ['its value', txt(value), true],
    ['its value among others', txt('v=spf1 -all', value, 'x'), true],
    ['another value', txt('x'), false],
    ['its value in another case', txt(value.toUpperCase()), false],
    ['its value with a space', txt(` ${value}`), false],
    ['its value and more', txt(`${value}x`), false],
    ['nothing', txt(), false],
    ['NXDOMAIN', { rcode: rcodes.nxdomain }, false],
    ['SERVFAIL', { rcode: rcodes.servfail }, false],
    ['the nameservers', ns(...nameservers), false],
  ])('and %s', async (_what, said, proven) => {
    expect(await proves(contested, await saying(said))).toBe(proven)
  })

  it('is proven by any resolver that knows', async () => {
    expect(await proves(contested, await saying(txt('old')), await saying(txt(value)))).toBe(true)
  })
})

describe('a legacy claim', () => {
  it.each<[string, DnsResponse, boolean]>([
    ['all its nameservers', ns('ns1.svc.example', 'ns2.svc.example'), true],
    ['them in another order and case', ns('NS2.svc.example', 'ns1.SVC.example'), true],
    ['one of them', ns('ns1.svc.example'), false],
    ['one more', ns('ns1.svc.example', 'ns2.svc.example', 'ns3.svc.example'), false],
    ['others', ns('ns1.else.example', 'ns2.else.example'), false],
    ['no data', ns(), false],
    ['SERVFAIL: a lame delegation', { rcode: rcodes.servfail }, false],
  ])('and %s', async (_what, said, proven) => {
    expect(await proves(legacy, await saying(said))).toBe(proven)
  })

  it('is proven by the whole set at one resolver, not by parts at several', async () => {
    const [one, other, both] = [
      await saying(ns('ns1.svc.example')),
      await saying(ns('ns2.svc.example')),
      await saying(ns(...nameservers)),
    ]
    expect(await proves(legacy, one, other)).toBe(false)
    expect(await proves(legacy, one, other, both)).toBe(true)
  })
})

it.each([contested, legacy])('no resolver that can be reached: 502 upstream_error with the zone', async (claim) => {
  const nobody = `127.0.0.1:${await freePort()}`
  await expect(proves(claim, nobody, await saying('silence'))).rejects.toMatchObject({
    code: 'upstream_error',
    status: 502,
    extra: { zone },
  })
})
