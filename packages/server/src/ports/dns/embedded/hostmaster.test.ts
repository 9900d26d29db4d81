import { pino } from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { ask, exchangeUdp, queryPacket, read } from '../../../../test/dns-ask.js'
import { embeddedDns, type EmbeddedDns } from './embedded-dns.js'

let dns: EmbeddedDns
afterEach(() => dns.close())

const zones = ['example.test', '2.0.192.in-addr.arpa', '8.b.d.0.1.0.0.2.ip6.arpa'].map((zone) => ({
  zone,
  serial: 7,
  rrsets: [],
}))

async function start(hostmaster?: string): Promise<number> {
  const nameservers = ['ns1.dns.example.net', 'ns2.example.org']
  const log = pino({ level: 'silent' })
  dns = await embeddedDns({ host: '127.0.0.1', port: 0, nameservers, hostmaster, log, zones })
  return dns.addresses[0]!.port
}

const numbers = '7 7200 900 1209600 300'

describe('the mailbox of the SOA', () => {
  it('the mailbox is hostmaster at the zone by default, and for a reverse zone at the domain of the first nameserver', async () => {
    const port = await start()
    for (const [zone, rname] of [
      ['example.test', 'hostmaster.example.test'],
      ['2.0.192.in-addr.arpa', 'hostmaster.example.net'],
      ['8.b.d.0.1.0.0.2.ip6.arpa', 'hostmaster.example.net'],
      ['example.test', 'hostmaster.example.test'],
    ] as const) {
      expect((await ask(port, zone, 'SOA')).answers[0]!.value).toBe(`ns1.dns.example.net ${rname} ${numbers}`)
      const negative = await ask(port, `missing.${zone}`, 'A')
      expect(negative).toMatchObject({ rcode: 'NXDOMAIN', authority: [{ ttl: 300, name: zone }] })
      expect(negative.authority[0]!.value).toBe(`ns1.dns.example.net ${rname} ${numbers}`)
    }
  })

  it('the mailbox is the configured one for every zone', async () => {
    const port = await start('ops@example.org')
    for (const { zone } of zones)
      expect((await ask(port, zone, 'SOA')).answers[0]!.value).toBe(`ns1.dns.example.net ops.example.org ${numbers}`)
  })

  it('the mailbox has the local part as one label, including its dots (RFC 1035, section 8)', async () => {
    const port = await start('first.last@example.org')
    const packet = await exchangeUdp(queryPacket('example.test', 'SOA'), port)
    expect(packet.includes(Buffer.from('\x0afirst.last\x07example\x03org\0', 'latin1'))).toBe(true)
    expect(read(packet).answers).toHaveLength(1)
  })
})
