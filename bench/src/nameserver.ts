import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../test/servers/process.js'
import { p99At, queriesPerSecond } from './dnsperf.js'
import { checkLimit, measureRounds, median, medianRatio, printInfo } from './measure.js'
import { startPowerDnsWithZone } from './powerdns.js'
import { startBenchProgram } from './programs.js'
import { queryFile, startSvcWithZone } from './zone.js'

/** The embedded nameserver with 1,000 names, against a UDP echo in Node.js and against PowerDNS. */
export async function benchNameserver(folder: string): Promise<void> {
  const queries = join(folder, 'queries.txt')
  await writeFile(queries, queryFile)
  const svc = await startSvcWithZone(folder, await freePort())
  const echo = await startBenchProgram('udp-echo.ts', join(folder, 'echo.log'), /^(udp:\S+)/m)
  const cached = await startPowerDnsWithZone({})
  const uncached = await startPowerDnsWithZone({ 'cache-ttl': '0', 'query-cache-ttl': '0', 'negquery-cache-ttl': '0' })
  const echoPort = Number(new URL(echo.url).port)

  const figures = await measureRounds(5, {
    echo: () => queriesPerSecond(echoPort, queries),
    svc: () => queriesPerSecond(svc.dnsPort, queries),
    cached: () => queriesPerSecond(cached.dnsPort, queries),
    uncached: () => queriesPerSecond(uncached.dnsPort, queries),
  })
  const halfLoad = median(figures.svc) / 2
  const p99 = await p99At(svc.dnsPort, queries, halfLoad)
  await Promise.all([svc.program, echo, cached, uncached].map((program) => program.stop()))

  printInfo('svc', `${Math.round(median(figures.svc))} queries/s`)
  checkLimit('against a bare UDP echo in Node.js', medianRatio(figures.svc, figures.echo), { atLeast: 0.85 })
  checkLimit('against PowerDNS with its caches', medianRatio(figures.svc, figures.cached), { atLeast: 0.6 })
  checkLimit('against PowerDNS without its caches', medianRatio(figures.svc, figures.uncached), { atLeast: 3 })
  checkLimit(`p99 at ${Math.round(halfLoad)} queries/s`, p99, { below: 2 }, ' ms')
}
