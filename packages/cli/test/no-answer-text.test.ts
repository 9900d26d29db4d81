import { execFile } from 'node:child_process'
import { createServer as createHttp, type Server } from 'node:http'
import { createServer as createHttps } from 'node:https'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { NoAnswerError, createClient } from '@svc/client'
import { ensure } from '../../../test/servers/index.js'
import { noAnswerText } from '../src/no-answer-text.js'

const servers: Server[] = []
afterAll(() => servers.forEach((server) => server.close().closeAllConnections()))

async function listening(server: Server): Promise<string> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `127.0.0.1:${String((server.address() as AddressInfo).port)}`
}

const answering = (status: number): Promise<string> =>
  listening(createHttp((_request, response) => response.writeHead(status, { 'content-type': 'text/html' }).end('x')))

async function selfSigned(): Promise<string> {
  ensure('openssl')
  const form = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=h']
  const { stdout } = await promisify(execFile)('openssl', ['req', ...form, '-keyout', '-', '-out', '-'])
  return listening(createHttps({ key: stdout, cert: stdout }, (_request, response) => response.end()))
}

async function closedPort(): Promise<string> {
  const host = await answering(200)
  await new Promise((resolve) => servers.at(-1)?.close(resolve))
  return host
}

/** The text for a call that gets no answer. */
const textOf = (baseUrl: string, timeoutMs = 30_000): Promise<string> =>
  createClient({ baseUrl, timeoutMs })
    .public.time()
    .then(
      () => expect.fail('the call succeeded'),
      (error: unknown) => noAnswerText(error as NoAnswerError, baseUrl),
    )

const otherServer = 'Is this another server than svc? Set SVC_URL or --url to the address of svc.'

describe('what the user of a command can do', () => {
  it.each([
    [
      'a port on which nothing listens',
      async () => `http://${await closedPort()}`,
      'Nothing listens at URL: is svc serve running there? If it runs elsewhere, set SVC_URL or --url to the right address.',
    ],
    [
      'https on a port that serves HTTP',
      async () => `https://${await answering(200)}`,
      'The server at HOST does not speak TLS: set SVC_URL or --url to http://HOST.',
    ],
    [
      'http on a port that serves TLS',
      async () => `http://${await selfSigned()}`,
      'URL gave no HTTP answer. If the server expects TLS, set SVC_URL or --url to https://HOST.',
    ],
    [
      'a self-signed certificate',
      async () => `https://${await selfSigned()}`,
      'The certificate of URL is self-signed: set NODE_EXTRA_CA_CERTS to a PEM file with this certificate.',
    ],
    [
      'a page of another server',
      async () => `http://${await answering(200)}`,
      `GET URL/v1/public/time: not an answer of the API: status 200, text/html. ${otherServer}`,
    ],
    [
      'a proxy that refuses the size',
      async () => `http://${await answering(413)}`,
      'GET URL/v1/public/time: not an answer of the API: status 413, text/html. The proxy at URL refused the size of the request: remove its limit for bodies, in nginx with client_max_body_size 0.',
    ],
    [
      'the 400 of a server that expects TLS',
      async () => `http://${await answering(400)}`,
      'GET URL/v1/public/time: not an answer of the API: status 400, text/html. If the server expects TLS, set SVC_URL to https://HOST.',
    ],
    [
      'the 502 of a proxy',
      async () => `http://${await answering(502)}`,
      'GET URL/v1/public/time: not an answer of the API: status 502, text/html. A proxy answers at URL and cannot reach the API: is svc serve running behind it?',
    ],
  ])('the message says what to do about %s', async (_what, start, text) => {
    const url = await start()
    expect((await textOf(url)).replaceAll(url, 'URL').replaceAll(new URL(url).host, 'HOST')).toBe(text)
  })

  it('the message after a timeout names the flag that sets the time', async () => {
    const url = `http://${await listening(createHttp(() => undefined))}`
    expect(await textOf(url, 50)).toBe(
      `GET ${url}/v1/public/time: no answer within 0.05 s; --timeout sets a longer time.`,
    )
  })

  it.each([
    [{ code: 'CERT_HAS_EXPIRED' }, /^The certificate of https:\/\/h:1 has expired: renew it on the server, or check/],
    [{ code: 'CERT_NOT_YET_VALID' }, /^The certificate of https:\/\/h:1 is not valid yet: check the clock/],
    [{ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }, /is not signed by an authority .* NODE_EXTRA_CA_CERTS/],
    [
      { code: 'ERR_TLS_CERT_ALTNAME_INVALID', cert: { subjectaltname: 'DNS:api.example.com' } },
      'The certificate of https://h:1 is for DNS:api.example.com, not for h: set SVC_URL or --url to the right address.',
    ],
    [{ code: 'ENOTFOUND' }, 'The host name h does not exist: set SVC_URL or --url to the right address.'],
    [{ code: 'EHOSTUNREACH' }, /^https:\/\/h:1 cannot be reached \(EHOSTUNREACH\): check the network/],
    [
      { code: 'EAI_AGAIN' },
      'The host name h cannot be resolved now: check the network and the resolver of this machine.',
    ],
    [{ code: 'ECONNRESET' }, 'GET https://h:1/v1: fetch failed'],
  ])('the message says what to do about a connection that fails with %j', (cause, text) => {
    const failed = new TypeError('fetch failed', { cause })
    const error = new NoAnswerError('network', 'GET https://h:1/v1: fetch failed', { cause: failed })
    const shown = noAnswerText(error, 'https://h:1/v1')
    if (typeof text === 'string') expect(shown).toBe(text)
    else expect(shown).toMatch(text)
  })
})
