import { pino } from 'pino'
import { embeddedDns } from '../../packages/server/dist/ports/dns/embedded/embedded-dns.js'
import type { Zone } from '../../packages/server/dist/ports/dns/port.js'
import { info, limit } from './measure.js'

const recordsPerZone = 100

/** The time to load the zones of the nameserver, and their memory. */
export async function benchZones(): Promise<void> {
  const began = performance.now()
  await (await load(1_000)).close()
  limit('1,000 zones of 100 records loaded', (performance.now() - began) / 1000, { below: 3 }, ' s')

  const before = resident()
  const dns = await load(10_000)
  const grown = resident() - before
  await dns.close()
  info('memory per record', `${Math.round(grown / (10_000 * recordsPerZone))} bytes`)
  limit('1,000,000 records in 10,000 zones, whole process', resident() / 1e9, { below: 1.5 }, ' GB')
}

const load = (zones: number) =>
  embeddedDns({
    host: '127.0.0.1',
    port: 0,
    nameservers: ['ns1.localhost', 'ns2.localhost'],
    log: pino({ level: 'silent' }),
    zones: zonesOf(zones),
  })

function* zonesOf(count: number): Generator<Zone> {
  for (let n = 0; n < count; n++) {
    const zone = `zone${n}.example`
    const rrsets = Array.from({ length: recordsPerZone }, (_, host) => ({
      name: `host${host}.${zone}`,
      type: 'A' as const,
      ttl: 3600,
      records: [{ value: `192.0.2.${host}`, priority: null }],
    }))
    yield { zone, serial: 1, rrsets }
  }
}

const resident = () => process.memoryUsage().rss
