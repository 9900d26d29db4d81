import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../test/servers/process.js'
import { p99At, queriesPerSecond } from './dnsperf.js'
import { info, limit, median, ratio, rounds } from './measure.js'
import { servePowerDns } from './powerdns.js'
import { benchProgram } from './programs.js'
import { queryFile, serveZone } from './zone.js'

/** The embedded nameserver with 1,000 names, compared with a UDP echo in Node.js and with PowerDNS. */
export async function benchNameserver(folder: string): Promise<void> {
  const queries = join(folder, 'queries.txt')
  await writeFile(queries, queryFile)
  const svc = await serveZone(folder, await freePort())
  const echo = await benchProgram('udp-echo.ts', join(folder, 'echo.log'), /^(udp:\S+)/m)
  const cached = await servePowerDns({})
  const uncached = await servePowerDns({ 'cache-ttl': '0', 'query-cache-ttl': '0', 'negquery-cache-ttl': '0' })
  const echoPort = Number(new URL(echo.url).port)

  const figures = await rounds(5, {
    echo: () => queriesPerSecond(echoPort, queries),
    svc: () => queriesPerSecond(svc.dnsPort, queries),
    cached: () => queriesPerSecond(cached.dnsPort, queries),
    uncached: () => queriesPerSecond(uncached.dnsPort, queries),
  })
  const half = median(figures.svc) / 2
  const p99 = await p99At(svc.dnsPort, queries, half)
  await Promise.all([svc.program, echo, cached, uncached].map((program) => program.stop()))

  info('svc', `${Math.round(median(figures.svc))} queries/s`)
  limit('ratio to a bare UDP echo in Node.js', ratio(figures.svc, figures.echo), { atLeast: 0.85 })
  limit('ratio to PowerDNS with caches', ratio(figures.svc, figures.cached), { atLeast: 0.6 })
  limit('ratio to PowerDNS without caches', ratio(figures.svc, figures.uncached), { atLeast: 3 })
  limit(`p99 at ${Math.round(half)} queries/s`, p99, { below: 2 }, ' ms')
}
