import type { Logger } from 'pino'
import type { Area } from '../../http/area.js'
import { operatorZones, type OperatorNames } from './claims/operator-zones.js'
import { reservedStore } from './claims/reserved-store.js'
import { dnsHandlers, type DnsParts } from './handlers.js'
import { followZones } from './publishing/zone-follower.js'

interface DnsAreaParts extends Omit<DnsParts, 'heldByOperator' | 'published' | 'notGivenBack'> {
  readonly log: Logger
  readonly operatorNames: OperatorNames
  /** The newest version of a zone that the nameserver was loaded with. */
  readonly loadedVersion: number
}

/** Zones and their records. */
export async function dnsArea({ log, operatorNames, loadedVersion, ...parts }: DnsAreaParts): Promise<Area<'dns'>> {
  const { database, dns, zones } = parts
  const reserved = operatorZones(operatorNames)
  for (const { zone, email } of await reservedStore(database).unconfirmed(reserved))
    log.warn(
      { zone, account: email },
      "an account holds a zone of the server's own names without a proof: svc dns assign gives it to the account that is to have it",
    )
  // An external provider's zones are not polled.
  const follower = dns.external ? undefined : followZones({ zones, dns, since: loadedVersion, log })
  return {
    handlers: dnsHandlers({
      ...parts,
      heldByOperator: reserved.has,
      published: follower?.published ?? (() => undefined),
      notGivenBack: (zone, error) => {
        log.error({ err: error, zone }, 'the DNS provider may hold what the database does not: run svc dns sync')
      },
    }),
    ...(follower && { jobs: [follower.job] }),
  }
}
