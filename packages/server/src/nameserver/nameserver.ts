import { join } from 'node:path'
import type { Logger } from 'pino'
import type { NameserverConfig } from '../config/config.js'
import { Answerer } from '../ports/dns/embedded/answer.js'
import { copiedApex } from '../ports/dns/embedded/copied-apex.js'
import { listen, type Address } from '../ports/dns/embedded/listen.js'
import { limiterOf } from '../ports/dns/embedded/rate-limit.js'
import { tcpLimits } from '../ports/dns/embedded/tcp.js'
import { Zones } from '../ports/dns/embedded/zones.js'
import { Dispatcher } from '../ports/dns/protocol/dispatcher.js'
import { CountedAnswers } from './counted-answers.js'
import { healthOf, type Health } from './health.js'
import { limits as defaultLimits, type Limits } from './limits.js'
import { NameserverMetrics } from './metrics.js'
import { notifyProtocols } from './notify.js'
import { Primary } from './primary/primary.js'
import { openStatus } from './status-server.js'
import { ZoneStore } from './store/zone-store.js'
import { Follower } from './zones/follower.js'
import { OpenZones } from './zones/open-zones.js'

export interface Nameserver {
  /** The addresses of the nameserver, for UDP and TCP. */
  readonly addresses: readonly Address[]
  /** The port of /healthz and /metrics. */
  readonly statusPort: number
  health(): Health
  close(): Promise<void>
}

/** Serves the saved copies, then follows the primary. @throws OperatorError if it cannot listen */
export async function startNameserver(
  { catalog, data, dnsHost, dnsPort, rateLimit, host, port, primary: address, key }: NameserverConfig,
  log: Logger,
  limits: Limits = defaultLimits,
): Promise<Nameserver> {
  const metrics = new NameserverMetrics()
  const zones = new Zones()
  const openZones = new OpenZones()
  const store = new ZoneStore(join(data, 'zones'), openZones, log)
  const count = metrics.count.bind(metrics)
  const primary = new Primary({ address, key, limits, log, count })
  const follower = new Follower({ catalog, zones, primary, store, openZones, limits, log })
  await follower.restore(await store.load())

  const answers = new CountedAnswers(new Answerer(zones, copiedApex), log)
  const dispatcher = new Dispatcher(answers, log)
  const notify = (zone: string) => follower.notify(zone)
  dispatcher.protocols = notifyProtocols({ primary: address.host, key, notify })
  const limiter = limiterOf(rateLimit)
  const listening = await listen({
    ...{ hosts: dnsHost, port: dnsPort, answers, dispatcher, limiter, limits: tcpLimits, log },
  })
  const health = () => healthOf(follower, performance.now())
  const status = await openStatus({ host, port, health, metrics: () => metrics.text(follower, answers), log }).catch(
    async (error: unknown) => {
      await listening.close()
      throw error
    },
  )
  follower.start()
  return {
    addresses: listening.addresses,
    statusPort: status.port,
    health,
    async close() {
      follower.close()
      primary.close()
      await dispatcher.close()
      await Promise.all([listening.close(), status.close(), store.close()])
    },
  }
}
