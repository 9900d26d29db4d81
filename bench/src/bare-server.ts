import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import fastify from 'fastify'

/** The baseline for requests: serves the same bytes as GET /v1/public/time with only node:http, node:https or Fastify. Or redirects. */

const body = JSON.stringify({
  success: true,
  data: {
    iso8601: '2026-11-20T09:30:00.000Z',
    rfc2822: 'Fri, 20 Nov 2026 09:30:00 +0000',
    unix: 1795167000,
    unix_ms: 1795167000000,
    timezone: 'UTC',
    date: '2026-11-20',
    time: '09:30:00',
  },
  request_id: 'req_0123456789abcdef',
})
const headers = {
  'x-request-id': 'req_0123456789abcdef',
  'x-content-type-options': 'nosniff',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'X-Request-Id, ETag',
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
}

if (process.argv[2] === 'fastify') {
  const app = fastify()
  app.get('/', (_request, reply) => reply.headers(headers).send(body))
  console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
} else if (process.argv[2] === 'redirect') {
  const targets = new Map(
    Array.from({ length: 1_000 }, (_, i) => [`/l/link${String(i)}`, `https://example.com/${String(i)}`]),
  )
  listen((request, response) => {
    const location = targets.get(request.url ?? '')
    if (location === undefined) response.writeHead(404).end()
    else response.writeHead(302, { location, 'cache-control': 'no-store', 'content-length': '0' }).end()
  })
} else {
  const length = String(Buffer.byteLength(body))
  listen((_request, response) => {
    response.writeHead(200, { ...headers, 'content-length': length }).end(body)
  }, process.argv[3])
}

/** @param certificate a file in PEM with certificate and key, for https */
function listen(answer: RequestListener, certificate?: string): void {
  const pem = certificate === undefined ? undefined : readFileSync(certificate)
  const server = pem === undefined ? createServer(answer) : createSecureServer({ cert: pem, key: pem }, answer)
  server.listen(0, '127.0.0.1', () => {
    const scheme = pem === undefined ? 'http' : 'https'
    console.log(`${scheme}://localhost:${(server.address() as AddressInfo).port}`)
  })
}
