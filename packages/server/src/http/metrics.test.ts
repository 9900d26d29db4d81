import { expect, it } from 'vitest'
import type { Certificate } from '../ports/certificates/port.js'
import { Metrics } from './metrics.js'

const dayMs = 86_400_000

const certificate = (name: string, days: number): Certificate => ({
  names: [name, `www.${name}`],
  since: 0,
  isOfAccount: false,
  isEnding: false,
  isUsable: () => true,
  pem: () => ({ chain: '', key: '' }),
  validUntil: Date.now() + days * dayMs,
})

async function linesOf(metrics: Metrics): Promise<string[]> {
  return (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith('svc_tls_'))
}

it('shows the days left of the 100 certificates that expire first, without those that are gone or not renewed any more', async () => {
  let served = Array.from({ length: 150 }, (_, at) => certificate(`n${String(at)}.example`, 150 - at))
  const metrics = new Metrics()
  metrics.addTls(() => served)
  const lines = await linesOf(metrics)
  expect(lines).toContain('svc_tls_certificates 150')
  const left = lines.filter((line) => line.startsWith('svc_tls_certificate_days_left'))
  expect(left).toHaveLength(100)
  expect(left.find((line) => line.includes('"n149.example"'))).toMatch(/ (1|0\.99\d*)$/)
  expect(left.join()).not.toContain('"n10.example"')
  const ending = { ...certificate('ending.example', 1), isEnding: true }
  served = [certificate('new.example', 9), certificate('new.example', 3), ending]
  expect(await linesOf(metrics)).toEqual([
    'svc_tls_certificates 3',
    expect.stringMatching(/^svc_tls_certificate_days_left\{name="new\.example"\} (3|2\.99\d*)$/),
  ])
})

it('counts handshakes by their outcome, and nothing without TLS', async () => {
  const metrics = new Metrics()
  metrics.handshake('ok')
  expect(await linesOf(metrics)).toEqual([])
  metrics.addTls(() => [])
  for (const outcome of ['ok', 'ok', 'unknown_name'] as const) metrics.handshake(outcome)
  expect(await linesOf(metrics)).toEqual(
    expect.arrayContaining([
      'svc_tls_handshakes_total{outcome="ok"} 2',
      'svc_tls_handshakes_total{outcome="unknown_name"} 1',
    ]),
  )
})

it('counts DNS messages by transport and outcome, as often as it is read', async () => {
  const metrics = new Metrics()
  const counted = { transport: 'udp', outcome: 'nxdomain', count: 3 } as const
  metrics.addDns({ totals: () => [counted, { ...counted, transport: 'tcp', count: 0 }], zones: () => 12 })
  for (let read = 0; read < 2; read++) {
    const text = await metrics.registry.metrics()
    expect(text.split('\n').filter((line) => line.startsWith('svc_dns_'))).toEqual([
      'svc_dns_queries_total{transport="udp",outcome="nxdomain"} 3',
      'svc_dns_queries_total{transport="tcp",outcome="nxdomain"} 0',
      'svc_dns_zones 12',
    ])
  }
})
