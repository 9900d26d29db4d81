import type { Logger } from 'pino'
import type { Config } from '../config/config.js'
import { acmeClient } from '../ports/certificates/acme/client.js'
import { accountKeyOf } from '../ports/certificates/acme/jws.js'
import { delegationProblem, leadsHere, ownAddresses } from '../ports/certificates/acme/leads-here.js'
import type { Metrics } from '../http/metrics.js'
import { certificateManager } from '../ports/certificates/acme/manager.js'
import { orderLimitStore } from '../ports/certificates/acme/order-limit-store.js'
import type { OrderLimits } from '../ports/certificates/acme/order-limits.js'
import type { PortProof } from '../ports/certificates/acme/proof.js'
import { proofPublisher, type DnsProofs } from '../ports/certificates/acme/proof-publisher.js'
import { wantedCertificates } from '../ports/certificates/acme/wanted.js'
import { followWanted } from '../ports/certificates/acme/wanted-follower.js'
import { wantedSync } from './wanted-certificates.js'
import { guardedConnections } from '../ports/outbound/guarded-connections.js'
import type { Job } from '../shared/job.js'
import { Wakeup } from '../shared/wakeup.js'
import type { Ports } from './ports.js'

/** How soon a certificate is renewed that is due. */
const everyMs = 2_000

/** The job that orders and renews the certificates of the server; none if the operator has not set SVC_ACME. */
export function certificateJobs(
  config: Config,
  ports: Ports,
  { dns, metrics, log }: { readonly dns: DnsProofs; readonly metrics: Metrics | undefined; readonly log: Logger },
): readonly Job[] {
  const { acme, tls, outboundAllow: allowed } = config
  if (acme === undefined || ports.acme === undefined) return []
  const { accounts, certificates, openProofs, store } = ports.acme
  const directoryUrl = new URL(acme.directoryUrl)
  const { resolver } = ports
  const { nameservers } = config.dns
  const isDelegated = async (zone: string) => (await delegationProblem({ resolver, nameservers }, zone)) === undefined
  const wakeup = new Wakeup()
  const manager = certificateManager({
    store,
    limits: orderLimitStore(ports.database, orderLimitsOf(config)),
    client: async () =>
      acmeClient({
        ...acme,
        directoryUrl,
        accountKey: accountKeyOf(await accounts.keyOf(acme.directoryUrl)),
        // The operator has named the CA, which may be in a private network.
        connections: guardedConnections({ allowed, trustedUrl: `${directoryUrl.origin}/` }),
      }),
    proofs: proofPublisher({ dns, isDelegated, open: openProofs, atPorts: challengesAtPorts(tls), log }),
    syncWanted: wantedSync({ database: ports.database, store, ofServer: wantedCertificates(config) }),
    problemOf: leadsHere({ resolver, zoneOf: dns.zoneOf, nameservers, addresses: ownAddresses(config) }),
    profile: acme.profile,
    wakeup,
    onOrdered: certificates.wakeup.call,
    onFailed: (reason) => metrics?.failedOrder(reason),
    log,
  })
  return [
    certificates.job,
    openProofs.job,
    followWanted(ports.database, wakeup),
    {
      name: 'certificates.order',
      everyMs,
      wakeup,
      // Leases share the certificates among the processes.
      runsIn: 'every process',
      failureMessage: 'certificates could not be ordered',
      run: manager.run,
    },
  ]
}

/** The limits of orders for accounts. */
export const orderLimitsOf = ({ certificateOrders, tlsCertificatesMax }: Config): OrderLimits => ({
  ...certificateOrders,
  certificates: tlsCertificatesMax,
})

/** What the ports of TLS and of the redirects answer: CAs ask port 443 and 80. */
const challengesAtPorts = (tls: Config['tls']): readonly PortProof['type'][] =>
  tls === undefined ? [] : ['tls-alpn-01', ...(tls.redirectPort === undefined ? [] : (['http-01'] as const))]
