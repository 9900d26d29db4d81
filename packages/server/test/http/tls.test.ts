import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { passwordOf } from '../app.js'
import { openSocket, readToEnd, send } from '../raw-http.js'
import { deploySite } from '../site-host.js'
import { apiHost, startTlsSite, type TlsSite } from '../tls-site.js'

let on: TlsSite
let token: string
beforeAll(async () => {
  on = await startTlsSite()
  const account = await on.site.account('ada@example.com')
  token = await on.site.token(account, '*')
})
afterAll(() => on.stop())
afterEach(() => {
  vi.restoreAllMocks()
})

const dayMs = 86_400_000
const hstsName = 'Strict-Transport-Security'
const later = (ms: number) => {
  const now = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(now + ms)
}

const requestBytes = (host: string, path = '/v1/public/ip') =>
  `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`

async function sent(socket: TLSSocket, bytes: string): Promise<string> {
  const answer = readToEnd(socket)
  socket.write(bytes)
  return answer
}

describe('a request over TLS', () => {
  it('has the address of its client', async () => {
    const { status, text } = await on.get(apiHost, '/v1/public/ip')
    expect(status).toBe(200)
    expect(JSON.parse(text)).toMatchObject({ data: { ip: '127.0.0.1' } })
  })

  it('signs in with a Secure cookie, and from the https origin only', async () => {
    const body = JSON.stringify({ email: 'ada@example.com', password: passwordOf('ada@example.com') })
    const signIn = (origin: string) =>
      on.get(apiHost, '/console/api/session/sign-in', {
        method: 'POST',
        headers: { origin, 'content-type': 'application/json', 'content-length': String(body.length) },
        body,
      })
    const { status, headers } = await signIn(on.origin)
    expect(status).toBe(200)
    expect(headers['set-cookie']?.[0]).toMatch(/^__Host-.*; Secure/)
    expect((await signIn(`http://${apiHost}`)).status).toBe(403)
  })

  it('gets links with https', async () => {
    const { text } = await on.get(apiHost, '/v1?format=json')
    expect(text).toContain(`${on.origin}/`)
    expect(text).not.toContain('http://')
  })

  it('takes a body, and several requests on one connection', async () => {
    const socket = await on.open(apiHost)
    const body = JSON.stringify({ field: 'nickname', value: 'Ada' })
    const head = `POST /v1/account/profile HTTP/1.1\r\nHost: ${apiHost}\r\nAuthorization: Bearer ${token}\r\n`
    const post = `${head}Content-Type: application/json\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`
    const answers = await sent(socket, post + post + requestBytes(apiHost))
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 200'])
  })

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('works with %s, and its session resumes', async (version) => {
    const resumed = await on.resume(apiHost, version)
    expect([resumed.getProtocol(), resumed.isSessionReused()]).toEqual([version, true])
    expect(await sent(resumed, requestBytes(apiHost))).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('is of HTTP/1.1, which ALPN says', async () => {
    const socket = await on.open(apiHost, { ALPNProtocols: ['h2', 'http/1.1'] })
    expect(socket.alpnProtocol).toBe('http/1.1')
    socket.destroy()
  })
})

describe('a handshake', () => {
  it.each(['foo.example', 'a.b.sites.example', 'example'])(
    'for %s, which has no certificate, is refused with the alert unrecognized_name',
    async (name) => {
      await expect(on.open(name)).rejects.toMatchObject({ code: 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME' })
    },
  )

  it('without a name gets the certificate of the public URL', async () => {
    const socket = await on.open(undefined)
    expect(socket.getPeerCertificate().subjectaltname).toContain(`DNS:${apiHost}`)
    expect(await sent(socket, requestBytes('127.0.0.1'))).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('of TLS 1.1, or with ciphers without forward secrecy, is refused', async () => {
    const options = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
    await expect(on.open(apiHost, options)).rejects.toMatchObject({ code: expect.stringMatching(/VERSION|ALERT/) })
    await expect(on.open(apiHost, { maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256' })).rejects.toMatchObject({
      code: expect.stringMatching(/HANDSHAKE_FAILURE/),
    })
  })

  it('serves a renewed certificate without an interruption of open connections', async () => {
    const before = await on.open(apiHost)
    await on.renew([apiHost, 'new.example', 'sites.example', '*.sites.example'])
    await expect
      .poll(
        () =>
          on.get('new.example', '/healthz').then(
            ({ status }) => status,
            () => 0,
          ),
        { timeout: 10_000 },
      )
      .toBe(200)
    expect(await sent(before, requestBytes(apiHost))).toMatch(/^HTTP\/1\.1 200 /)
    const nameless = await on.open(undefined)
    expect(nameless.getPeerCertificate().subjectaltname).toContain('DNS:new.example')
    nameless.destroy()
  })
})

describe('the host of a request', () => {
  it.each<[string, string, number]>([
    [apiHost, apiHost, 200],
    [apiHost, 'API.example:8443', 200],
    [apiHost, `${apiHost}.`, 200],
    [apiHost, 'sites.example', 200],
    [apiHost, '127.0.0.1', 200],
    [apiHost, 'content.sites.example', 421],
    [apiHost, 'blog.sites.example', 421],
    [apiHost, 'other.example', 421],
    ['content.sites.example', apiHost, 421],
    ['blog.sites.example', apiHost, 421],
    ['blog.sites.example', 'shop.sites.example', 421],
    ['blog.sites.example', '127.0.0.1', 421],
    ['blog.sites.example', 'blog.sites.example', 404],
  ])('on a connection for %s may be %s: %i', async (name, host, status) => {
    const socket = await on.open(name)
    expect(await sent(socket, requestBytes(host))).toMatch(new RegExp(`^HTTP/1\\.1 ${String(status)} `))
  })

  it('counts in a request target with an authority, and without a Host header', async () => {
    const target = requestBytes('blog.sites.example', `https://${apiHost}/v1/public/ip`)
    expect(await sent(await on.open('blog.sites.example'), target)).toMatch(/^HTTP\/1\.1 421 /)
    const old = 'GET /v1/public/ip HTTP/1.0\r\n\r\n'
    expect(await sent(await on.open('blog.sites.example'), old)).toMatch(/^HTTP\/1\.1 421 /)
    expect(await sent(await on.open(apiHost), old)).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('of a 421 is logged like any other answer', async () => {
    const answer = await sent(await on.open(apiHost), requestBytes('blog.sites.example'))
    const id = /x-request-id: (\S+)/.exec(answer)?.[1]
    await expect
      .poll(() => on.site.log.map((line) => JSON.parse(line) as object))
      .toContainEqual(expect.objectContaining({ request_id: id, status: 421 }))
  })
})

describe('Strict-Transport-Security', () => {
  const hosts = [apiHost, 'content.sites.example', 'blog.sites.example']

  it.each(hosts)('is not sent for %s in the first day', async (host) => {
    later(dayMs - 3_600_000)
    expect((await on.get(host, '/nothing')).headers).not.toHaveProperty('strict-transport-security')
  })

  it.each(hosts)('is sent for %s a day after the first certificate', async (host) => {
    later(dayMs + 60_000)
    expect((await on.get(host, '/nothing')).headers).toMatchObject({ 'strict-transport-security': 'max-age=31536000' })
  })

  it('is sent with the pages of a site, also from memory, unless its own headers have another one', async () => {
    const files = { 'index.html': 'page', 'own/index.html': 'own', _headers: `/own/*\n  ${hstsName}: max-age=60` }
    await deploySite(on.site.url, token, 'blog', files)
    for (let round = 0; round < 3; round++) {
      later(dayMs + 60_000)
      const answers = ['/', '/own/'].map((path) => on.get('blog.sites.example', path))
      const [page, own] = await Promise.all(answers)
      expect([page?.text, own?.text]).toEqual(['page', 'own'])
      expect([page?.headers, own?.headers]).toMatchObject([
        { 'strict-transport-security': 'max-age=31536000' },
        { 'strict-transport-security': 'max-age=60' },
      ])
      vi.restoreAllMocks()
    }
  })

  it('is sent by the port of plain HTTP as before, because a proxy may be in front of it', async () => {
    const { headers } = await on.site.call('GET', '/healthz')
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000')
  })
})

describe('a client that speaks', () => {
  const raw = async (bytes: string | Buffer) => {
    const socket = await openSocket(`http://127.0.0.1:${String(on.port)}`)
    const answer: Buffer[] = []
    socket.on('data', (chunk) => answer.push(chunk))
    socket.on('error', () => socket.destroy())
    socket.write(bytes)
    await once(socket, 'close')
    return Buffer.concat(answer)
  }

  it('HTTP gets a sentence about https', async () => {
    expect((await raw('GET / HTTP/1.1\r\nHost: x\r\n\r\n')).toString()).toMatch(
      /^HTTP\/1\.1 400 Bad Request\r\n[^]*This port speaks HTTPS only: use a URL with https\.\n$/,
    )
  })

  it.each<[string, Buffer, number]>([
    ['garbage', Buffer.from('\0\0\0'), 10],
    ['a record of 64 kB', Buffer.from([22, 3, 1, 0xff, 0xff, 1]), 22],
    ['a message of megabytes', Buffer.from([22, 3, 1, 0, 4, 1, 0x7f, 0, 0]), 50],
  ])('%s gets a fatal alert', async (_, bytes, number) => {
    expect([...(await raw(bytes))]).toEqual([21, 3, 3, 0, 2, 2, number])
  })
})

describe('the port of redirects', () => {
  const redirected = (path: string, host: string, method = 'GET') =>
    send(`http://127.0.0.1:${String(on.httpPort)}`, method, path, { headers: { host } })

  it.each([
    ['/v1/public/ip?x=1', apiHost, `https://${apiHost}/v1/public/ip?x=1`],
    ['/', 'Blog.Sites.example.:8080', 'https://blog.sites.example/'],
    [`http://other.example/path`, apiHost, `https://${apiHost}/path`],
  ])('308 from %s at %s to %s', async (path, host, location) => {
    for (const method of ['GET', 'POST', 'HEAD']) {
      const { status, headers } = await redirected(path, host, method)
      expect({ status, location: headers.location }).toEqual({ status: 308, location })
      expect(headers.connection).toBe('close')
    }
  })

  it.each(['other.example', 'a b', '', '[::1]'])('404 for a host without a certificate: %j', async (host) => {
    expect((await redirected('/', host)).status).toBe(404)
  })

  it('redirects a request for a challenge that is not open at the host of the API', async () => {
    const path = '/.well-known/acme-challenge/abc'
    expect((await redirected(path, apiHost)).headers.location).toBe(`https://${apiHost}${path}`)
  })
})

it('closes with handshakes, idle connections and running requests', async () => {
  const own = await startTlsSite()
  const silent = connect(own.port, '127.0.0.1')
  silent.on('error', () => silent.destroy())
  await once(silent, 'connect')
  const kept = await own.open(apiHost)
  kept.write(`GET /healthz HTTP/1.1\r\nHost: ${apiHost}\r\n\r\n`)
  await once(kept, 'data')
  await sleep(20)
  const closed = Promise.all([once(silent.resume(), 'close'), once(kept, 'close')])
  await own.stop()
  await closed
})
