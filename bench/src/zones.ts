import { pino } from 'pino'
import { embeddedDns } from '../../packages/server/dist/ports/dns/embedded/embedded-dns.js'
import type { Zone } from '../../packages/server/dist/ports/dns/port.js'
import { checkLimit, printInfo } from './measure.js'

const recordsPerZone = 100

/** The time in which the nameserver loads its zones, and the memory that they take. */
export async function benchZones(): Promise<void> {
  const began = performance.now()
  await (await startNameserver(1_000)).close()
  checkLimit('1,000 zones of 100 records loaded', (performance.now() - began) / 1000, { below: 3 }, ' s')

  const before = residentBytes()
  const dns = await startNameserver(10_000)
  const grown = residentBytes() - before
  await dns.close()
  printInfo('memory of a record', `${Math.round(grown / (10_000 * recordsPerZone))} bytes`)
  checkLimit('1,000,000 records in 10,000 zones, whole process', residentBytes() / 1e9, { below: 1.5 }, ' GB')
}

const startNameserver = (zones: number) =>
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

const residentBytes = () => process.memoryUsage().rss
