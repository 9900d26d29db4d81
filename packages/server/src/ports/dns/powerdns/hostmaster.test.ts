import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startPowerDns, type PowerDns } from '../../../../../../test/servers/index.js'
import { ask } from '../../../../test/dns-ask.js'
import { powerdnsDns } from './powerdns-dns.js'

/** The mailbox of the SOA in PowerDNS is served as configured, and is no drift afterwards. */

let server: PowerDns
beforeAll(async () => {
  server = await startPowerDns()
})
afterAll(() => server.stop())

const withMailbox = (hostmaster: string | undefined) =>
  powerdnsDns({
    ...server,
    nameservers: ['ns1.dns.example.net'],
    hostmaster,
    log: pino({ level: 'silent' }),
    installation: '0123456789abcdef',
  })

it.each([
  ['plain.test', undefined, 'hostmaster.plain.test'],
  ['2.0.192.in-addr.arpa', undefined, 'hostmaster.example.net'],
  ['set.test', 'ops+dns@example.org', 'ops+dns.example.org'],
  ['dots.test', 'first.last@example.org', 'first\\.last.example.org'],
])('the SOA of %s with the hostmaster %s has the mailbox %s', async (zone, hostmaster, rname) => {
  const dns = await withMailbox(hostmaster)
  const wanted = { zone, serial: 7, rrsets: [] }
  await dns.setZone(wanted)
  expect((await ask(server.dnsPort, zone, 'SOA')).answers[0]!.value.split(' ').slice(0, 2)).toEqual([
    'ns1.dns.example.net',
    rname,
  ])
  expect(await dns.drift(wanted)).toMatchObject({ missing: false, differences: [] })
  await dns.close()
})

it('a changed hostmaster is drift, which setZone repairs', async () => {
  const wanted = { zone: 'changed.test', serial: 7, rrsets: [] }
  await (await withMailbox(undefined)).setZone(wanted)
  const dns = await withMailbox('first.last@example.org')
  expect((await dns.drift(wanted)).differences).toEqual([{ action: 'change', name: 'changed.test', type: 'SOA' }])
  await dns.setZone(wanted)
  expect((await dns.drift(wanted)).differences).toEqual([])
  expect((await ask(server.dnsPort, 'changed.test', 'SOA')).answers[0]!.value).toContain(' first\\.last.example.org ')
})
