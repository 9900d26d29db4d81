import type { Logger } from 'pino'
import { ApiError } from '@svc/contract/errors'
import type { ApexSettings } from '../apex.js'
import type { Dns, RRset, Zone, ZoneChange } from '../port.js'
import type { QueryCounts } from '../query-counts.js'
import { Answerer } from './answer.js'
import { ApexRecords } from './apex-records.js'
import { keyOf } from '../wire/names.js'
import { listen, type Address } from './listen.js'
import { limiterOf } from './rate-limit.js'
import { SafeAnswers } from './safe-answers.js'
import { encodeRRsets, type Placed } from './stored.js'
import { tcpLimits, type TcpLimits } from './tcp.js'
import { Journals } from './zone-journal.js'
import { ZoneMap } from './zone-map.js'
import { Dispatcher } from '../protocol/dispatcher.js'
import type { Protocols } from '../protocol/messages.js'
import type { SecondariesOptions } from '../transfers/options.js'
import { Secondaries } from '../transfers/secondaries.js'
import { Zones } from './zones.js'

export interface EmbeddedDnsOptions extends ApexSettings {
  /** Addresses of this machine, IPv4 or IPv6; `0.0.0.0` and `::` for all of either kind. */
  readonly host: string | readonly string[]
  /** For UDP and TCP; 0 selects a free port. */
  readonly port: number
  /** Maximum UDP answers per second to one /24 or /56 network, loopback excepted; 0 for no limit. */
  readonly rateLimit?: number
  readonly tcp?: Partial<TcpLimits>
  readonly log: Logger
  /** The zones to load at the start. */
  readonly zones?: AsyncIterable<Zone> | Iterable<Zone>
}

export interface EmbeddedDns extends Dns {
  /** The addresses on which it listens. */
  readonly addresses: readonly Address[]
  readonly answerProtocols: NonNullable<Dns['answerProtocols']>
  readonly queryCounts: QueryCounts
  readonly serveSecondaries: NonNullable<Dns['serveSecondaries']>
}

const rateLimitDefault = 200

/** Starts the nameserver in this process: loads the zones, then opens the ports. @throws OperatorError if it cannot listen */
export async function embeddedDns(options: EmbeddedDnsOptions): Promise<EmbeddedDns> {
  const { log, zones: initial = [], rateLimit = rateLimitDefault } = options
  const zones = new Zones()
  const journals = new Journals()
  for await (const zone of initial) addStored(zones, zone, { log, journals })
  const apex = new ApexRecords(options)
  const answerer = new Answerer(zones, apex)
  const answers = new SafeAnswers(answerer, log)
  const dispatcher = new Dispatcher(answers, log)
  const hosts = [options.host].flat()
  const listening = await listen({
    hosts,
    port: options.port,
    answers,
    dispatcher,
    limiter: limiterOf(rateLimit),
    limits: { ...tcpLimits, ...options.tcp },
    log,
  })
  let isOpen = true
  let secondaries: Secondaries | undefined
  return {
    ...zoneOperations({ zones, journals, log, watcher: () => secondaries }),
    addresses: listening.addresses,
    serveSecondaries(served: SecondariesOptions) {
      secondaries = new Secondaries({ ...served, zones, apex, journals, log })
      return secondaries.handlers
    },
    answerProtocols(protocols: Protocols) {
      dispatcher.protocols = protocols
    },
    queryCounts: answerer.counts,
    async ping() {
      if (!isOpen) throw new ApiError('upstream_error', 'The nameserver has been closed.')
    },
    async close() {
      if (!isOpen) return
      isOpen = false
      await Promise.all([dispatcher.close(), secondaries?.close()])
      await listening.close()
    },
  }
}

/** Adds a zone of the database. A bad row must not stop the start: it is left out and logged, and `svc doctor` names it. */
function addStored(zones: Zones, zone: Zone, { log, journals }: { log: Logger; journals: Journals }): void {
  try {
    const map = ZoneMap.of(zone, logUnservable(zone, log))
    map.record(journals)
    zones.set(map)
  } catch (error) {
    log.error({ err: error, zone: zone.zone }, 'a zone cannot be served and is left out')
  }
}

const logUnservable =
  ({ zone }: Zone, log: Logger) =>
  ({ name, type }: RRset, error: unknown): void => {
    log.error({ err: error, zone, name, type }, 'an RRset cannot be served and is left out')
  }

type ZoneOperations = Pick<Dns, 'isExternal' | 'setZone' | 'loadZone' | 'publish' | 'removeZone' | 'zone'>

interface ZoneDependencies {
  readonly zones: Zones
  readonly journals: Journals
  readonly log: Logger
  /** What is told about changes; undefined until secondaries are served. */
  readonly watcher: () => Pick<Secondaries, 'changed' | 'removed'> | undefined
}

/** The operations of the port on zones. The next query sees their effect. */
function zoneOperations({ zones, journals, log, watcher }: ZoneDependencies): ZoneOperations {
  const replace = async (zone: Zone, onUnservable?: ReturnType<typeof logUnservable>) => {
    const map = await ZoneMap.load(zone, onUnservable).catch((error: unknown) => refuse(zone.zone, error))
    const before = zones.get(map.key)
    // A load that a newer one has overtaken is dropped.
    if (before !== undefined && !map.mergeNewer(before)) return
    if (before === undefined) map.record(journals)
    else map.recordAfter(before)
    if (zones.set(map)) watcher()?.changed(map)
  }
  return {
    isExternal: false,

    setZone: (zone: Zone) => replace(zone),

    loadZone: (zone: Zone) => replace(zone, logUnservable(zone, log)),

    async publish(change: ZoneChange) {
      const { zone, serial } = change
      const map = zones.get(keyOf(zone))
      if (map === undefined) throw new ApiError('upstream_error', `The nameserver does not know the zone ${zone}.`)
      const changes = encodeChange(change)
      if (!map.apply(serial, changes))
        throw new ApiError(
          'upstream_error',
          `A change of ${zone} comes too late for the nameserver: load the zone again.`,
        )
      watcher()?.changed(map)
    },

    async removeZone(zone: string, serial: number) {
      if (zones.remove(keyOf(zone), serial)) watcher()?.removed(zone)
    },

    async zone(name: string): Promise<readonly RRset[] | undefined> {
      return zones.get(keyOf(name))?.rrsets()
    },
  }
}

/** Encodes all of a change before any of it is applied. @throws ApiError `upstream_error` */
function encodeChange({ zone, serial, rrsets }: ZoneChange): Placed[] {
  try {
    return encodeRRsets(zone, serial, rrsets)
  } catch (error) {
    refuse(zone, error)
  }
}

function refuse(zone: string, error: unknown): never {
  if (!(error instanceof RangeError)) throw error
  throw new ApiError('upstream_error', `The nameserver cannot serve this in ${zone}: ${error.message}`)
}
