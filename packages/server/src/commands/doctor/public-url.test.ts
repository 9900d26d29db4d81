import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer as createHttp, type RequestListener } from 'node:http'
import { createServer as createHttps } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { ensure } from '../../../../../test/servers/index.js'
import { findingsOf, reported } from '../../../test/findings.js'
import { publicUrlCheck, reportCertificate, type Presented } from './public-url.js'

const health = '{"success":true,"data":{"status":"ok"},"request_id":"req_1"}'
const answerHealth: RequestListener = ({ method }, response) =>
  method === 'GET' ? response.end(health) : response.writeHead(401).end()
const largePasses = (url: string) => `ok Bodies of 100 MB reach svc on ${url}.`

const stops: (() => void)[] = []
afterEach(() => stops.splice(0).forEach((stop) => stop()))

/** A self-signed certificate for 127.0.0.1 that is valid for two days. */
let certificate: { key: string; cert: string }
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-tls-'))
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')]
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  const flags = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  await promisify(execFile)(ensure('openssl'), ['req', ...flags, ...subject, '-keyout', key, '-out', cert])
  certificate = { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') }
})
afterAll(() => rm(folder, { recursive: true }))

async function serve(scheme: 'http' | 'https', listener = answerHealth): Promise<string> {
  const server = scheme === 'http' ? createHttp(listener) : createHttps(certificate, listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const find = (url: string, ca?: string) => findingsOf(publicUrlCheck(ca), { SVC_PUBLIC_URL: url })

it('svc answers over HTTP', async () => {
  const url = await serve('http')
  expect(await find(url)).toEqual([`ok svc answers on ${url}.`, largePasses(url)])
})

it('svc answers over HTTPS, with a certificate that ends soon', async () => {
  const url = await serve('https')
  expect(await find(url, certificate.cert)).toEqual([
    `ok svc answers on ${url}.`,
    largePasses(url),
    expect.stringMatching(/^warning The certificate expires in [12] days, on \d{4}-\d\d-\d\d\.$/),
  ])
})

it('clients do not trust the certificate', async () => {
  expect(await find(await serve('https'))).toContainEqual(
    'error Clients do not trust the certificate: DEPTH_ZERO_SELF_SIGNED_CERT.',
  )
})

it.each([
  ['refuses large bodies', 413, /^error The proxy at \S+ refuses bodies of 100 MB: uploads and deploys fail\.$/],
  ['answers for svc', 200, /^warning \S+ answers a large upload without a token with 200, not 401\.$/],
  ['waits for the body', undefined, /^warning The proxy at \S+ reads whole bodies before it passes them on/],
])('reports that a proxy %s', async (_, status, finding) => {
  const url = await serve('http', ({ method }, response) => {
    if (method === 'GET') response.end(health)
    else if (status !== undefined) response.writeHead(status).end()
  })
  expect((await find(url))[1]).toMatch(finding)
})

it('another server answers, and a long answer is not read', async () => {
  const url = await serve('http', (_, response) => void response.end('x'.repeat(1_000_000)))
  expect(await find(url)).toEqual([`error ${url} is reachable, but svc does not answer there.`])
})

it('reports that no server listens', async () => {
  expect(await find('http://127.0.0.1:9')).toEqual([
    expect.stringMatching(/^error http:\/\/127\.0\.0\.1:9 cannot be reached from this machine: .*ECONNREFUSED/),
  ])
})

it('the public URL is not checked without the setting', async () => {
  expect(await findingsOf(publicUrlCheck())).toEqual(['ok Not checked: SVC_PUBLIC_URL is not set.'])
})

const now = Date.parse('2026-11-22')
const valid: Presented = {
  certificate: {
    valid_to: 'Mar  1 00:00:00 2027 GMT',
    subject: { CN: 'api.example.com' },
    subjectaltname: 'DNS:api.example.com',
  },
  distrust: undefined,
}

it.each<[string, Partial<Presented['certificate']>, string | undefined, string[]]>([
  ['api.example.com', {}, undefined, ['ok The certificate is valid until 2027-03-01.']],
  [
    'www.example.com',
    {},
    undefined,
    ['error The certificate is not for www.example.com, but for DNS:api.example.com.'],
  ],
  [
    'api.example.com',
    { valid_to: 'Nov 21 00:00:00 2026 GMT' },
    'CERT_HAS_EXPIRED',
    ['error The certificate has expired on 2026-11-21.'],
  ],
  [
    'api.example.com',
    { valid_to: 'Dec  5 00:00:00 2026 GMT' },
    undefined,
    ['warning The certificate expires in 13 days, on 2026-12-05.'],
  ],
  [
    'api.example.com',
    {},
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ['error Clients do not trust the certificate: UNABLE_TO_VERIFY_LEAF_SIGNATURE.'],
  ],
])('reports the certificate for %s: %j, %s', (host, change, distrust, findings) => {
  const presented = { certificate: { ...valid.certificate, ...change }, distrust }
  expect(reported((report) => reportCertificate(host, presented, now, report))).toEqual(findings)
})
