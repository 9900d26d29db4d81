import {
  outcome,
  outcomes,
  zoneOutcomes,
  type HandledOutcome,
  type QueryCounts,
  type TotalCount,
  type ZoneCounts,
} from '../query-counts.js'
import { keyOf } from '../wire/names.js'
import { rcode } from './codes.js'
import type { Reply } from './reply.js'
import type { ZoneMap } from './zone-map.js'
import type { Zones } from './zones.js'

/** Zones that the first array has room for. */
const firstZones = 256

const width = zoneOutcomes.length

/** The outcome of an answer that is complete. */
export function outcomeOf({ rcode: code, truncated, authoritative, hasAnswers }: Reply): number {
  if (code !== rcode.noError) return outcomeOfCode(code)
  if (truncated) return outcome.truncated
  if (hasAnswers) return outcome.answers
  return authoritative ? outcome.no_data : outcome.referrals
}

/** The outcome of an answer that has only an RCODE. */
export function outcomeOfCode(code: number): number {
  switch (code) {
    case rcode.nxDomain:
      return outcome.nxdomain
    case rcode.refused:
    case rcode.notAuth:
      return outcome.refused
    case rcode.servFail:
      return outcome.failed
    default:
      return outcome.malformed
  }
}

/**
 * Counts answers by zone and outcome. A query costs two additions: a zone has a place in one array of numbers, which it gets at its first
 * query after `take`. The array grows to the number of zones that are queried between two calls.
 */
export class QueryCounter implements QueryCounts {
  /** Grows with each `take`: the places of zones are of this period. */
  private period = 1
  private counts = new Uint32Array(firstZones * width)
  /** The places by account and zone: a zone that is loaded again keeps its place. */
  private readonly places = new Map<string, Omit<ZoneCounts, 'counts'> & { readonly at: number }>()
  /** By outcome: over UDP, then over TCP. */
  private readonly all = new Float64Array(2 * outcomes.length)

  constructor(private readonly served: Pick<Zones, 'get' | 'size'>) {}

  /** @param by the weight of the answer: how many queries it stands for */
  add(zone: ZoneMap | undefined, at: number, isUdp: boolean, by = 1): void {
    const total = isUdp ? at : outcomes.length + at
    this.all[total] = (this.all[total] as number) + by
    if (zone === undefined || at >= width) return
    const { holder } = zone
    if (holder === null) return
    if (zone.countedIn !== this.period) this.open(zone, holder)
    const place = zone.countsAt + at
    this.counts[place] = (this.counts[place] as number) + by
  }

  count(zone: string | undefined, name: HandledOutcome, transport: 'udp' | 'tcp'): void {
    this.add(zone === undefined ? undefined : this.served.get(keyOf(zone)), outcome[name], transport === 'udp')
  }

  totals(): TotalCount[] {
    return (['udp', 'tcp'] as const).flatMap((transport, from) =>
      outcomes.map((name, at) => ({
        transport,
        outcome: name,
        count: this.all[from * outcomes.length + at] as number,
      })),
    )
  }

  take(): ZoneCounts[] {
    const taken = [...this.places.values()].map(({ zone, holder, at }) => ({
      zone,
      holder,
      counts: [...this.counts.subarray(at, at + width)],
    }))
    this.counts.fill(0, 0, this.places.size * width)
    this.places.clear()
    this.period++
    return taken
  }

  zones(): number {
    return this.served.size
  }

  private open(zone: ZoneMap, holder: number): void {
    const key = `${String(holder)} ${zone.name}`
    const at = this.places.get(key)?.at ?? this.places.size * width
    if (at === this.counts.length) {
      const larger = new Uint32Array(2 * at)
      larger.set(this.counts)
      this.counts = larger
    }
    this.places.set(key, { zone: zone.name, holder, at })
    zone.countsAt = at
    zone.countedIn = this.period
  }
}
