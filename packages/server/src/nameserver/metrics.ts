import type { CountedAnswers } from './counted-answers.js'
import { healthOf } from './health.js'
import type { TransferKind } from './primary/primary.js'
import type { Follower } from './zones/follower.js'

const rcodes = ['noerror', 'formerr', 'servfail', 'nxdomain', 'notimp', 'refused']

/** Metrics in the text format of Prometheus. prom-client would take 20 MB: it loads TLS, zlib and OpenTelemetry. */
export class NameserverMetrics {
  private readonly transfers = new Map<TransferKind, number>()

  count(kind: TransferKind): void {
    this.transfers.set(kind, (this.transfers.get(kind) ?? 0) + 1)
  }

  /** The text of /metrics. */
  text(follower: Follower, answers: CountedAnswers): string {
    const { zones, catalog, primary } = healthOf(follower, performance.now())
    const gauge = (name: string, help: string, value: number | null) =>
      family(name, 'gauge', help, value === null ? [] : [['', value]])
    return [
      family(
        'svc_dns_transfers_total',
        'counter',
        'Transfers from the primary, by kind: axfr, ixfr, current or failed',
        [...this.transfers].map(([kind, count]) => [`{kind="${kind}"}`, count]),
      ),
      family('svc_dns_zones', 'gauge', 'Zones of the catalog, by state', [
        ['{state="served"}', zones.total - zones.pending - zones.expired],
        ['{state="pending"}', zones.pending],
        ['{state="expired"}', zones.expired],
      ]),
      gauge('svc_dns_zones_behind', 'Zones with an older serial than the primary', zones.behind),
      gauge('svc_dns_serials_behind', 'Serials that all zones together are behind the primary', behindOf(follower)),
      gauge('svc_dns_primary_contact_seconds', 'Seconds since the primary last answered', primary.last_contact),
      gauge('svc_dns_catalog_age_seconds', 'Seconds since the primary last confirmed the catalog', catalog.age),
      gauge('svc_dns_catalog_expires_seconds', 'Seconds until the catalog expires', catalog.expires_in),
      gauge('process_resident_memory_bytes', 'Resident memory of the process', process.memoryUsage.rss()),
      family('svc_dns_answers_total', 'counter', 'Answers, by RCODE', answersOf(answers)),
    ].join('\n')
  }
}

/** Labels in braces, or an empty text, and the value. */
type Sample = readonly [string, number]

const family = (name: string, type: 'counter' | 'gauge', help: string, samples: readonly Sample[]): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.map(([labels, value]) => `${name}${labels} ${value}\n`).join('')}`

const answersOf = ({ counts }: CountedAnswers): Sample[] =>
  [...counts.entries()]
    .filter(([code, count]) => count > 0 || code === 0)
    .map(([code, count]) => [`{rcode="${rcodes[code] ?? String(code)}"}`, count])

const behindOf = ({ members }: Follower): number => {
  let sum = 0
  for (const zone of members.values()) sum += zone.behind
  return sum
}
