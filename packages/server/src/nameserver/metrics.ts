import { Counter, Gauge, Registry } from 'prom-client'
import type { CountedAnswers } from './counted-answers.js'
import { healthOf } from './health.js'
import type { TransferKind } from './primary/primary.js'
import type { Follower } from './zones/follower.js'

const rcodes = ['noerror', 'formerr', 'servfail', 'nxdomain', 'notimp', 'refused']

/** Metrics for Prometheus. */
export class NameserverMetrics {
  private readonly registry = new Registry()
  private readonly transfers = new Counter({
    name: 'svc_dns_transfers_total',
    help: 'Transfers from the primary, by kind: axfr, ixfr, current or failed',
    labelNames: ['kind'],
    registers: [this.registry],
  })

  count(kind: TransferKind): void {
    this.transfers.inc({ kind })
  }

  /** The text of /metrics. */
  async text(follower: Follower, answers: CountedAnswers): Promise<string> {
    const registers = [new Registry()]
    const [registry = this.registry] = registers
    const { zones, catalog, primary } = healthOf(follower, performance.now())
    const gauge = (name: string, help: string, value: number | null) => {
      if (value !== null) new Gauge({ name, help, registers }).set(value)
    }
    const states = new Gauge({
      name: 'svc_dns_zones',
      help: 'Zones of the catalog, by state',
      labelNames: ['state'],
      registers,
    })
    states.set({ state: 'served' }, zones.total - zones.pending - zones.expired)
    states.set({ state: 'pending' }, zones.pending)
    states.set({ state: 'expired' }, zones.expired)
    gauge('svc_dns_zones_behind', 'Zones with an older serial than the primary', zones.behind)
    gauge('svc_dns_serials_behind', 'Serials that all zones together are behind the primary', behindOf(follower))
    gauge('svc_dns_primary_contact_seconds', 'Seconds since the primary last answered', primary.last_contact)
    gauge('svc_dns_catalog_age_seconds', 'Seconds since the primary last confirmed the catalog', catalog.age)
    gauge('svc_dns_catalog_expires_seconds', 'Seconds until the catalog expires', catalog.expires_in)
    gauge('process_resident_memory_bytes', 'Resident memory of the process', process.memoryUsage.rss())
    const queries = new Counter({
      name: 'svc_dns_answers_total',
      help: 'Answers, by RCODE',
      labelNames: ['rcode'],
      registers,
    })
    for (const [code, count] of answers.counts.entries())
      if (count > 0 || code === 0) queries.inc({ rcode: rcodes[code] ?? String(code) }, count)
    return `${await this.registry.metrics()}\n${await registry.metrics()}`
  }
}

const behindOf = ({ members }: Follower): number => {
  let sum = 0
  for (const zone of members.values()) sum += zone.behind
  return sum
}
