import { Histogram, Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { RequestDurations } from './request-durations.js'

/** The text is that of a histogram of prom-client with the same buckets. */

const cases: Record<string, readonly (readonly [operation: string, status: number, seconds: number])[]> = {
  'no request': [],
  'one request': [['public.time', 200, 0.000_312]],
  'several operations and statuses, in the order of their first request': [
    ['public.time', 200, 0.002],
    ['none', 404, 0.000_1],
    ['public.time', 400, 0.02],
    ['public.time', 200, 0.3],
    ['none', 404, 0.7],
  ],
  'durations at a bound, between bounds, at zero and above the last bound': [
    0, 0.001, 0.001_000_1, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 10.000_1, 120, 1e-7,
  ].map((seconds) => ['dns.recordCreate', 201, seconds] as const),
}

it.each(Object.entries(cases))('counts like the histogram of prom-client: %s', async (_name, observations) => {
  const registry = new Registry()
  const expected = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'Time from the request to the end of its answer',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
    registers: [registry],
  })
  const durations = new RequestDurations()
  for (const [operation, status, seconds] of observations) {
    expected.observe({ operation, status: String(status) }, seconds)
    durations.observe(operation, status, seconds)
  }
  expect(`${durations.text()}\n`).toBe(await registry.metrics())
})
