import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { findingsOf } from '../../../test/findings.js'
import { startDnsServer, type DnsResponse } from '../../../test/dns-server.js'
import { edgeCheck } from './edge.js'
import { providerCheck } from './provider.js'
import { resolversCheck } from './resolvers.js'

/** Servers that svc uses, and that fail. */

const stops: (() => unknown)[] = []
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})

const root: DnsResponse = { answers: [{ type: 'NS', name: '.', data: 'a.root-servers.net', ttl: 60 }] }

it.each<[string, DnsResponse, RegExp]>([
  ['one that answers', root, /^ok The resolver 127\.0\.0\.1:\d+ answers\.$/],
  ['one without the public DNS', { rcode: 2 }, /^warning The resolver .* answers, but does not find the root of the/],
])('reports a resolver: %s', async (_, response, found) => {
  const server = await startDnsServer(() => response)
  stops.push(server.stop)
  expect((await findingsOf(resolversCheck, { SVC_RESOLVERS: server.address })).join()).toMatch(found)
})

it('reports a resolver that answers, and one that refuses', async () => {
  const server = await startDnsServer(() => root)
  stops.push(server.stop)
  expect((await findingsOf(resolversCheck, { SVC_RESOLVERS: `${server.address},127.0.0.1:9` })).sort()).toEqual([
    `ok The resolver ${server.address} answers.`,
    'warning The resolver 127.0.0.1:9 refuses queries.',
  ])
})

it('reports a resolver that does not speak DNS', async () => {
  const socket = createSocket('udp4')
  // The id of the query, and garbage.
  socket.on('message', (query, { port, address }) =>
    socket.send(Buffer.concat([query.subarray(0, 4), Buffer.alloc(20, 0xff)]), port, address),
  )
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  stops.push(() => socket.close())
  expect(await findingsOf(resolversCheck, { SVC_RESOLVERS: `127.0.0.1:${socket.address().port}` })).toEqual([
    expect.stringMatching(/^warning The resolver .* does not answer in DNS\.$/),
    'error No resolver answers: svc cannot verify zones, and webhooks and look-ups fail.',
  ])
})

async function answering(status: number, body: string): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end(body)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it.each<[string, number, string, RegExp]>([
  ['that refuses the key', 401, 'Unauthorized', /^error PowerDNS at .* refuses the key\.$/],
  ['that is another program', 200, '<html>', /^error The server at .* answers with 200, not like PowerDNS\.$/],
  [
    'that answers, without a database',
    200,
    '{"version": "4.7.3"}',
    /^ok PowerDNS at .* answers, version 4\.7\.3, and accepts the key\.,warning Not checked/,
  ],
])('reports a PowerDNS %s', async (_, status, body, found) => {
  const env = { SVC_DNS: `powerdns+${await answering(status, body)}`, SVC_POWERDNS_KEY: 'secret' }
  const findings = (await findingsOf(providerCheck, env)).join()
  expect(findings).toMatch(found)
  expect(findings).not.toContain('secret')
})

it('reports a PowerDNS that does not run', async () => {
  const env = { SVC_DNS: 'powerdns+http://127.0.0.1:9', SVC_POWERDNS_KEY: 'secret' }
  expect(await findingsOf(providerCheck, env)).toEqual([
    expect.stringMatching(/^error PowerDNS at .* cannot be reached: /),
  ])
})

it.each<[string, () => Promise<string>, RegExp]>([
  ['does not run', async () => 'http://127.0.0.1:9', /^error Varnish did not confirm the purge: it cannot be reached/],
  [
    'has another VCL',
    () => answering(405, ''),
    /^error Varnish did not confirm the purge: it answered 405\. Changes of/,
  ],
])('reports a Varnish that %s', async (_, start, found) => {
  expect((await findingsOf(edgeCheck, { SVC_EDGE: `varnish+${await start()}` })).join()).toMatch(found)
})

it('has nothing to check with the servers in the process', async () => {
  expect([...(await findingsOf(edgeCheck)), ...(await findingsOf(providerCheck))]).toEqual([
    'ok The cache is in the server itself.',
    'ok The embedded nameserver reads its zones from the database.',
  ])
})
