import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'
import { promisify } from 'node:util'
import { execFile } from 'node:child_process'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RecordType } from '@svc/contract'
import { ensure, freePort } from '../../../../../../test/servers/index.js'
import { ask } from '../../../../test/dns-ask.js'
import { dnsConformance } from '../../../../test/conformance/dns.js'
import type { RRset } from '../port.js'
import { embeddedDns, type EmbeddedDns, type EmbeddedDnsOptions } from './embedded-dns.js'

const run = promisify(execFile)
const log = pino({ level: 'silent' })
const start = (options: Partial<EmbeddedDnsOptions> = {}) =>
  embeddedDns({ host: '127.0.0.1', port: 0, nameservers: ['ns1.svc.test', 'ns2.svc.test'], log, ...options })
const portOf = ({ addresses }: EmbeddedDns) => addresses[0]!.port

describe('the embedded nameserver conforms to the port', () => {
  dnsConformance(async () => {
    const dns = await start()
    return { dns, ask: (name, type, options) => ask(portOf(dns), name, type, options), stop: () => dns.close() }
  })
})

const set = (name: string, type: RecordType, ...values: string[]): RRset => ({
  name,
  type,
  ttl: 300,
  records: values.map((value) => ({ value, priority: null })),
})

describe('changes and loads that arrive after newer ones', () => {
  const zone = 'late.test'
  const www = 'www.late.test'
  let dns: EmbeddedDns
  beforeAll(async () => {
    dns = await start()
  })
  afterAll(() => dns.close())

  const load = (serial: number, ...rrsets: RRset[]) => dns.setZone({ zone, serial, rrsets })
  const publish = (serial: number, ...rrsets: RRset[]) => dns.publish({ zone, serial, rrsets })
  const values = async (name = www) => (await ask(portOf(dns), name, 'A')).answers.map(({ value }) => value)
  const serial = async () => Number((await ask(portOf(dns), zone, 'SOA')).answers[0]!.value.split(' ')[2])
  let n = 1000
  const next = () => (n += 1000)

  it('late changes and loads do not bring older values back', async () => {
    const at = next()
    await load(at)
    await publish(at + 2, set(www, 'A', '192.0.2.2'))
    await publish(at + 1, set(www, 'A', '192.0.2.1'))
    expect(await values()).toEqual(['192.0.2.2'])
    expect(await serial()).toBe(at + 2)
  })

  it('late changes and loads do not bring back a removed RRset', async () => {
    const at = next()
    await load(at, set(www, 'A', '192.0.2.1'))
    await publish(at + 2, set(www, 'A'))
    await publish(at + 1, set(www, 'A', '192.0.2.1'))
    expect(await values()).toEqual([])
  })

  it('late changes and loads do not remove a newer RRset', async () => {
    const at = next()
    await load(at)
    await publish(at + 2, set(www, 'A', '192.0.2.2'))
    await publish(at + 1, set(www, 'A'))
    expect(await values()).toEqual(['192.0.2.2'])
  })

  it('late changes and loads still apply to RRsets that have not changed since', async () => {
    const at = next()
    await load(at)
    await publish(at + 2, set('b.late.test', 'A', '192.0.2.2'))
    await publish(at + 1, set('a.late.test', 'A', '192.0.2.1'))
    expect(await values('a.late.test')).toEqual(['192.0.2.1'])
    expect(await serial()).toBe(at + 2)
  })

  it('a late load keeps newer values and removals, and applies the rest', async () => {
    const at = next()
    await load(at, set('gone.late.test', 'A', '192.0.2.9'))
    await publish(at + 2, set(www, 'A', '192.0.2.2'), set('gone.late.test', 'A'))
    await load(
      at + 1,
      set(www, 'A', '192.0.2.1'),
      set('gone.late.test', 'A', '192.0.2.9'),
      set('c.late.test', 'A', '192.0.2.3'),
    )
    expect(await values()).toEqual(['192.0.2.2'])
    expect(await values('gone.late.test')).toEqual([])
    expect(await values('c.late.test')).toEqual(['192.0.2.3'])
    expect(await serial()).toBe(at + 2)
  })

  it('a late change does not bring back an RRset that a newer load removed', async () => {
    const at = next()
    await load(at)
    await load(at + 2)
    await publish(at + 1, set(www, 'A', '192.0.2.1'))
    await publish(at + 2, set(www, 'A', '192.0.2.2'))
    expect(await values()).toEqual([])
    expect(await serial()).toBe(at + 2)
  })

  it('a load has no effect after a newer load', async () => {
    const at = next()
    await load(at, set('old.late.test', 'A', '192.0.2.1'))
    await load(at + 2, set(www, 'A', '192.0.2.2'))
    await load(at + 1, set('old.late.test', 'A', '192.0.2.1'))
    expect(await values('old.late.test')).toEqual([])
    expect(await values()).toEqual(['192.0.2.2'])
    expect(await serial()).toBe(at + 2)
  })

  it('502 upstream_error for a change that may be older than a dropped tombstone', async () => {
    const at = next()
    await load(at, set('kept.late.test', 'A', '192.0.2.3'))
    const removals = Array.from({ length: 1100 }, (_, n) => set(`gone${n}.late.test`, 'A'))
    await publish(at + 3, ...removals)
    await publish(at + 2, set('gone1099.late.test', 'A', '192.0.2.1'))
    expect(await values('gone1099.late.test')).toEqual([])
    await expect(publish(at + 2, set('gone0.late.test', 'A', '192.0.2.1'))).rejects.toMatchObject({
      code: 'upstream_error',
    })
    await load(at + 1, set('gone0.late.test', 'A', '192.0.2.1'))
    expect(await values('gone0.late.test')).toEqual([])
    expect(await values('kept.late.test')).toEqual(['192.0.2.3'])
    await publish(at + 4, set('gone0.late.test', 'A', '192.0.2.4'))
    expect(await values('gone0.late.test')).toEqual(['192.0.2.4'])
    await load(at + 5, set(www, 'A', '192.0.2.5'))
    expect(await values()).toEqual(['192.0.2.5'])
  })

  it('late changes and loads do not change the holder of the zone', async () => {
    const away = { zone: 'away.test', serial: 5, holder: 1, rrsets: [set('away.test', 'A', '192.0.2.7')] }
    const target = async () => (await ask(portOf(dns), 'alias.late.test', 'A')).answers.length
    const at = next()
    await dns.setZone(away)
    const alias = set('alias.late.test', 'CNAME', 'away.test')
    await dns.setZone({ zone, serial: at, holder: 1, rrsets: [alias] })
    expect(await target()).toBe(2)
    await dns.setZone({ zone, serial: at + 2, holder: null, rrsets: [alias] })
    await dns.setZone({ zone, serial: at + 1, holder: 1, rrsets: [alias] })
    await publish(at + 3, set(www, 'A', '192.0.2.1'))
    expect(await target()).toBe(1)
  })

  it('late changes and loads are recognised across the wrap-around of the serial at 32 bits (RFC 1982)', async () => {
    await dns.setZone({ zone: 'round.test', serial: 0xffff_fff0, rrsets: [] })
    const change = (serial: number, value: string) =>
      dns.publish({ zone: 'round.test', serial, rrsets: [set('a.round.test', 'A', value)] })
    await change(5, '192.0.2.5')
    await change(0xffff_fff5, '192.0.2.1')
    expect(await values('a.round.test')).toEqual(['192.0.2.5'])
    const soa = await ask(portOf(dns), 'round.test', 'SOA')
    expect(soa.answers[0]!.value).toContain('hostmaster.round.test 5 ')
  })
})

describe('RRsets that cannot be served', () => {
  it('502 upstream_error for a change with an RRset that cannot be served, and no part of it is applied', async () => {
    const dns = await start()
    await dns.setZone({ zone: 'half.test', serial: 1, rrsets: [set('a.half.test', 'A', '192.0.2.1')] })
    const rrsets = [set('a.half.test', 'A', '192.0.2.2'), set('b.half.test', 'A', 'no address')]
    await expect(dns.publish({ zone: 'half.test', serial: 2, rrsets })).rejects.toMatchObject({
      code: 'upstream_error',
    })
    await expect(dns.setZone({ zone: 'half.test', serial: 2, rrsets })).rejects.toMatchObject({
      code: 'upstream_error',
    })
    expect(await dns.zone('half.test')).toEqual([set('a.half.test', 'A', '192.0.2.1')])
    await dns.close()
  })

  it('RRsets that cannot be served are left out at the start, and the rest is served', async () => {
    const dns = await start({
      zones: [
        {
          zone: 'half.test',
          serial: 1,
          rrsets: [set('b.half.test', 'A', 'no address'), set('a.half.test', 'A', '192.0.2.1')],
        },
      ],
    })
    expect(await dns.zone('half.test')).toEqual([set('a.half.test', 'A', '192.0.2.1')])
    await dns.close()
  })
})

describe('listening', () => {
  it('serves IPv4 and IPv6, UDP and TCP, on one port', async () => {
    const dns = await start({ host: ['127.0.0.1', '::1'] })
    await dns.setZone({ zone: 'listen.test', serial: 1, rrsets: [] })
    expect(new Set(dns.addresses.map(({ port }) => port)).size).toBe(1)
    for (const host of ['127.0.0.1', '::1'])
      for (const tcp of [false, true])
        expect((await ask(portOf(dns), 'listen.test', 'SOA', { host, tcp })).rcode).toBe('NOERROR')
    await dns.close()
  })

  it('answers dig', async () => {
    const dns = await start({
      zones: [
        {
          zone: 'dig.test',
          serial: 1,
          rrsets: [set('www.dig.test', 'A', '192.0.2.1'), set('t.dig.test', 'TXT', 'x'.repeat(2000))],
        },
      ],
    })
    const dig = async (...args: string[]) =>
      (await run(ensure('dig'), ['@127.0.0.1', '-p', String(portOf(dns)), '+short', ...args])).stdout.trim()
    expect(await dig('www.dig.test', 'A')).toBe('192.0.2.1')
    expect(await dig('+tcp', 'WWW.dig.TEST', 'A')).toBe('192.0.2.1')
    // Truncated over UDP: dig retries over TCP.
    expect((await dig('t.dig.test', 'TXT')).replaceAll(/[" ]/g, '')).toBe('x'.repeat(2000))
    expect(await dig('dig.test', 'NS')).toBe('ns1.svc.test.\nns2.svc.test.')
    await dns.close()
  })

  it.each(['udp', 'tcp'])('a port in use by %s is an error that names the setting to change', async (kind) => {
    const port = await freePort()
    const udp = createSocket('udp4')
    const tcp = createServer()
    await new Promise<void>((done) =>
      kind === 'udp' ? udp.bind(port, '127.0.0.1', done) : tcp.listen(port, '127.0.0.1', done),
    )
    const failed = await start({ port }).catch((error: unknown) => error as Error)
    expect(failed).toMatchObject({ name: 'OperatorError', message: expect.stringContaining('SVC_DNS_PORT') })
    if (kind === 'udp') udp.close()
    else tcp.close()
    // The failed start left no socket open.
    await (await start({ port })).close()
  })

  it('an address of another machine, or a host name, is an error that names the setting to change', async () => {
    await expect(start({ host: '192.0.2.1' })).rejects.toMatchObject({
      message: expect.stringContaining('SVC_DNS_HOST'),
    })
    await expect(start({ host: 'localhost' })).rejects.toMatchObject({
      message: expect.stringContaining('SVC_DNS_HOST'),
    })
  })

  it('ping() throws after close(), and a second close() is a no-op', async () => {
    const dns = await start()
    await dns.close()
    await dns.close()
    await expect(dns.ping()).rejects.toMatchObject({ code: 'upstream_error' })
  })
})
