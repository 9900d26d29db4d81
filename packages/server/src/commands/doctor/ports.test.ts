import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { pino } from 'pino'
import { freePort } from '../../../../../test/servers/index.js'
import { findingsOf } from '../../../test/findings.js'
import { startDnsServer } from '../../../test/dns-server.js'
import { embeddedDns } from '../../ports/dns/embedded/embedded-dns.js'
import { listenForUpdates } from '../../ports/dns/embedded/update-listener.js'
import { portsCheck } from './ports.js'

const stops: (() => unknown)[] = []
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})

/** Answers by path. @returns the port */
async function serve(answers: Record<string, string>): Promise<number> {
  const server = createServer((request, response) => response.end(answers[request.url ?? ''])).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

const health = '{"success":true,"data":{"status":"ok"},"request_id":"req_1"}'
const find = (ports: Record<string, number | string>) =>
  findingsOf(portsCheck, {
    SVC_PORT: '0',
    SVC_DNS_PORT: '0',
    ...Object.fromEntries(Object.entries(ports).map(([name, value]) => [name, String(value)])),
  })

it.each<[string, Record<string, string>, RegExp]>([
  ['svc', { '/healthz': health, '/readyz': health }, /^ok svc answers on .*, and is ready\.$/],
  ['svc that is not ready', { '/healthz': health, '/readyz': '{}' }, /^error svc runs on .*, but is not ready/],
  ['another program', { '/healthz': '<html>' }, /^error Another program than svc answers on /],
])('reports what answers on the port for HTTP: %s', async (_, answers, found) => {
  expect((await find({ SVC_PORT: await serve(answers) }))[0]).toMatch(found)
})

it.each<[string, Record<string, string>, RegExp]>([
  ['svc', { '/metrics': 'svc_job_failures_total 0' }, /^ok The metrics are on http:\/\/127\.0\.0\.1:\d+\/metrics\.$/],
  ['another program', { '/metrics': 'go_info 1' }, /^error Another program than svc answers on /],
])('reports what answers on the port of the metrics: %s', async (_, answers, found) => {
  expect((await find({ SVC_METRICS_PORT: await serve(answers) })).at(-1)).toMatch(found)
})

it('reports whether a program listens on the ports of HTTPS and of the redirects', async () => {
  const [tls, silent] = [await serve({}), await freePort()]
  const settings = { SVC_TLS_CERT: '/', SVC_PUBLIC_URL: 'https://x.example', SVC_TLS_PORT: tls, SVC_HTTP_PORT: silent }
  expect((await find(settings)).slice(1, 3)).toEqual([
    `ok A program listens on 127.0.0.1:${String(tls)}, the port of SVC_TLS_PORT.`,
    `warning No program listens on 127.0.0.1:${String(silent)}, the port of SVC_HTTP_PORT: the server does not run.`,
  ])
})

it('warns if no server listens', async () => {
  const [http, dns, metrics] = [await freePort(), await freePort(), await freePort()]
  const findings = await find({ SVC_PORT: http, SVC_DNS_PORT: dns, SVC_METRICS_PORT: metrics, SVC_HOST: '0.0.0.0' })
  expect(findings).toEqual([
    `warning No program listens on http://127.0.0.1:${http}: the server does not run.`,
    `warning No nameserver listens on 127.0.0.1:${dns} over UDP: the server does not run.`,
    `warning No nameserver listens on 127.0.0.1:${dns} over TCP: the server does not run.`,
    `warning No program listens on http://127.0.0.1:${metrics}/metrics: the server does not run.`,
  ])
})

it('does not check any free port', async () => {
  expect((await find({})).join()).toMatch(/^ok HTTP is not checked: .*,ok DNS is not checked: [^,]*,/)
})

it('finds the port of updates beside PowerDNS', async () => {
  const log = pino({ level: 'silent' })
  const updates = await listenForUpdates({ nameservers: ['ns1.net'], host: ['127.0.0.1'], port: 0, rateLimit: 0, log })
  stops.push(() => updates.close())
  const port = updates.addresses[0]?.port ?? 0
  const silent = await freePort()
  const powerdns = { SVC_DNS: 'powerdns+http://127.0.0.1:1', SVC_POWERDNS_KEY: 'key' }
  expect((await find(powerdns)).slice(1)).toEqual([])
  expect((await find({ ...powerdns, SVC_DNS_UPDATE_PORT: port })).slice(1)).toEqual([
    `ok The nameserver answers on 127.0.0.1:${port} over UDP.`,
    `ok The nameserver answers on 127.0.0.1:${port} over TCP.`,
  ])
  expect((await find({ ...powerdns, SVC_DNS_UPDATE_PORT: silent })).slice(1)).toEqual([
    `warning No nameserver listens on 127.0.0.1:${silent} over UDP: the server does not run.`,
    `warning No nameserver listens on 127.0.0.1:${silent} over TCP: the server does not run.`,
  ])
})

it('finds the nameserver of svc without zones', async () => {
  const options = { nameservers: ['ns1.net'], hostmaster: undefined, log: pino({ level: 'silent' }) }
  const dns = await embeddedDns({ ...options, host: '127.0.0.1', port: 0 })
  stops.push(() => dns.close())
  const port = dns.addresses[0]?.port ?? 0
  expect((await find({ SVC_DNS_PORT: port })).slice(1)).toEqual(
    ['UDP', 'TCP'].map((via) => `ok The nameserver answers on 127.0.0.1:${port} over ${via}.`),
  )
})

it('reports that another nameserver answers', async () => {
  const other = await startDnsServer(() => ({ rcode: 0 }))
  stops.push(other.stop)
  const findings = await find({ SVC_DNS_PORT: other.address.split(':')[1]! })
  expect(findings[1]).toMatch(
    /^error The nameserver on .* over UDP does not answer like svc: it may be another program/,
  )
})
