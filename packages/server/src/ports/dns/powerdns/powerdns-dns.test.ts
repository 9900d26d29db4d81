import { pino } from 'pino'
import { describe } from 'vitest'
import { startPowerDns } from '../../../../../../test/servers/index.js'
import { ask } from '../../../../test/dns-ask.js'
import { dnsConformance } from '../conformance.js'
import { powerdnsDns } from './powerdns-dns.js'

const log = pino({ level: 'silent' })
const nameservers = ['ns1.svc.test', 'ns2.svc.test']

describe('PowerDNS keeps the promises of the port', () => {
  dnsConformance(async () => {
    const server = await startPowerDns()
    return {
      dns: await powerdnsDns({ ...server, nameservers, log }),
      ask: (name, type, options) => ask(server.dnsPort, name, type, options),
      stop: () => server.stop(),
    }
  })
})
