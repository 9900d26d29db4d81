import { getServers } from 'node:dns'
import { dnsServerAddress, queryDns, type DnsServerAddress } from '../../ports/resolver/dns-query.js'
import type { DnsConfig } from '../../config/config.js'
import type { Check } from './check.js'

/** The servers of SVC_RESOLVERS, or those of the system. */
export const resolverAddresses = ({ resolvers }: Pick<DnsConfig, 'resolvers'>): DnsServerAddress[] =>
  (resolvers.length > 0 ? resolvers : getServers()).map(dnsServerAddress)

/** Whether the resolvers answer, on which the verification of zones depends. */
export const resolversCheck: Check = {
  section: 'resolvers',
  deadlineMs: 8_000,
  async run({ config }, report) {
    const servers = resolverAddresses(config.dns)
    const isAnswering = await Promise.all(
      servers.map(async (server) => {
        const where = textOf(server)
        const reply = await queryDns(server, { name: '.', type: 'NS', transport: 'udp', recursion: true })
        if (typeof reply === 'string') {
          const what = { refused: 'refuses queries', silent: 'does not answer', malformed: 'does not answer in DNS' }
          report.warning(`The resolver ${where} ${what[reply]}.`, remedy)
          return false
        }
        if (reply.rcode === 0 && reply.answers.length > 0) report.ok(`The resolver ${where} answers.`)
        else report.warning(`The resolver ${where} answers, but does not find the root of the public DNS.`, remedy)
        return true
      }),
    )
    if (!isAnswering.includes(true))
      report.add(
        // A machine without the internet has none on purpose.
        config.dns.resolvers.length > 0 ? 'error' : 'warning',
        'No resolver answers: svc cannot verify zones, and webhooks and look-ups fail.',
        remedy,
      )
  },
}

const remedy = 'Correct SVC_RESOLVERS, or the resolvers of the system, and check the firewall.'

/** `192.0.2.1:53`, `[2001:db8::1]:53` */
export const textOf = ({ address, port }: DnsServerAddress): string =>
  `${address.includes(':') ? `[${address}]` : address}:${String(port)}`
