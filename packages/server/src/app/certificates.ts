import type { Logger } from 'pino'
import type { Config } from '../config/config.js'
import { certificateStore } from '../ports/certificates/acme/certificate-store.js'
import { acmeClient } from '../ports/certificates/acme/client.js'
import { accountKeyOf } from '../ports/certificates/acme/jws.js'
import { leadsHere } from '../ports/certificates/acme/leads-here.js'
import { certificateManager } from '../ports/certificates/acme/manager.js'
import { proofPublisher, type DnsProofs } from '../ports/certificates/acme/proof-publisher.js'
import { wantedCertificates } from '../ports/certificates/acme/wanted.js'
import { guardedConnections } from '../ports/outbound/guarded-connections.js'
import { nameAddresses } from '../ports/outbound/name-addresses.js'
import type { Job } from '../shared/job.js'
import type { Ports } from './ports.js'

/** How soon a certificate is ordered that `svc tls renew` asks for. */
const everyMs = 2_000

/** The job that orders and renews the certificates of the server; none if the operator has not set SVC_ACME. */
export function certificateJobs(config: Config, ports: Ports, dns: DnsProofs, log: Logger): readonly Job[] {
  const { acme, outboundAllow: allowed } = config
  if (acme === undefined) return []
  const { database, vault, resolver } = ports
  const directoryUrl = new URL(acme.directoryUrl)
  const store = certificateStore(database, vault)
  const wanted = wantedCertificates(config)
  const manager = certificateManager({
    store,
    client: async () =>
      acmeClient({
        ...acme,
        directoryUrl,
        accountKey: accountKeyOf(await store.accountKey(acme.directoryUrl)),
        // The operator has named the CA, which may be in a private network.
        connections: guardedConnections({ allowed, trustedUrl: `${directoryUrl.origin}/` }),
      }),
    proofs: proofPublisher(dns),
    wanted: () => Promise.resolve(wanted),
    problemOf: leadsHere({
      resolver,
      zoneOf: dns.zoneOf,
      nameservers: config.dns.nameservers,
      addresses: config.sitesAddresses,
      addressesOf: nameAddresses(),
    }),
    profile: acme.profile,
    log,
  })
  return [
    {
      name: 'certificates.order',
      everyMs,
      // Leases share the certificates among the processes.
      runsIn: 'every process',
      failureMessage: 'certificates could not be ordered',
      run: manager.run,
    },
  ]
}
