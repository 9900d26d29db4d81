import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../test/servers/process.js'
import { loadSeconds, p99At, queriesPerSecond } from './dnsperf.js'
import { checkLimit, measureRounds, median, printInfo } from './measure.js'
import { startPowerDnsWithZone } from './powerdns.js'
import { startBenchProgram } from './programs.js'
import { checkCpu, measureSides, sideOf } from './request-side.js'
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

  const side = (name: string, pid: number, port: number) =>
    sideOf(
      name,
      pid,
      () => queriesPerSecond(port, queries),
      (rate) => rate * loadSeconds,
    )
  const sides = {
    echo: side('UDP echo in Node.js', echo.pid, echoPort),
    svc: side('svc', svc.program.pid, svc.dnsPort),
    cached: side('PowerDNS', cached.pid, cached.dnsPort),
    uncached: side('PowerDNS without its caches', uncached.pid, uncached.dnsPort),
  }
  await measureSides(5, Object.values(sides))
  const halfLoad = median(sides.svc.rates) / 2
  const p99 = await measureRounds(3, {
    svc: () => p99At(svc.dnsPort, queries, halfLoad),
    echo: () => p99At(echoPort, queries, halfLoad),
  })
  await Promise.all([svc.program, echo, cached, uncached].map((program) => program.stop()))

  // As rates: at least 0.85 × the echo, 0.6 × PowerDNS, and 3 × PowerDNS without its caches.
  checkCpu('query', sides.svc, sides.echo, 1.18)
  checkCpu('query', sides.svc, sides.cached, 1.67)
  checkCpu('query', sides.svc, sides.uncached, 0.33)
  printInfo(`p99 of the echo at ${Math.round(halfLoad)} queries/s`, `${median(p99.echo).toFixed(2)} ms`)
  checkLimit(`p99 at ${Math.round(halfLoad)} queries/s`, median(p99.svc), { below: 2 }, ' ms')
}
