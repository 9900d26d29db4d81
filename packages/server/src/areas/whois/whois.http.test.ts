import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds, startApp, type TestApp } from '../../../test/app.js'
import {
  rdapDocument,
  startRdap,
  startWhois,
  type RdapServer,
  type WhoisServer,
} from '../../../test/registry-servers.js'

describe.each(databaseKinds)('GET /v1/whois on %s', (kind) => {
  let rdap: RdapServer
  let whois: WhoisServer
  let site: TestApp
  let token: string
  const get = (domain: string) => site.call('GET', `/v1/whois?domain=${encodeURIComponent(domain)}`, { token })

  beforeAll(async () => {
    rdap = await startRdap()
    whois = await startWhois()
    site = await startApp(kind, { registries: { rdapUrl: rdap.url, whois: whois.host } })
    token = await site.token(await site.account('ada@example.com'), 'whois:read')
  })
  afterAll(async () => {
    await site.stop()
    await rdap.stop()
    await whois.stop()
  })
  beforeEach(() => {
    rdap.requests.length = 0
    rdap.respond = undefined
  })

  it('answers with the data of the registry, then from the cache, with one look-up for all', async () => {
    rdap.documents.set('example.com', rdapDocument('example.com'))
    const first = await Promise.all(Array.from({ length: 5 }, () => get('example.com')))
    expect(first[0]).toMatchObject({
      status: 200,
      body: {
        data: {
          domain: 'example.com',
          registrar: 'Example Registrar, Inc.',
          created_at: '1995-08-14T04:00:00.000Z',
          updated_at: '2026-08-14T07:01:44.000Z',
          expires_at: '2027-08-13T04:00:00.000Z',
          nameservers: ['ns1.example.net', 'ns2.example.net'],
          statuses: ['client transfer prohibited'],
          dnssec: true,
          source: 'rdap',
          raw: null,
          cached: false,
          fetched_at: expect.any(String) as string,
        },
      },
    })
    const second = await get('EXAMPLE.com.')
    expect(second.body['data']).toEqual({ ...first[0]?.body['data'], cached: true })
    expect((await get('example.com')).body['data']).toEqual(second.body['data'])
    expect(rdap.requests).toEqual(['/domain/example.com'])
  })

  it('404 for an unregistered domain, also from the cache', async () => {
    for (let n = 0; n < 2; n += 1)
      expect(await get('unregistered.example')).toMatchObject({
        status: 404,
        body: { error: 'not_found', message: 'There is no registration of the domain unregistered.example.' },
      })
    expect(rdap.requests).toEqual(['/domain/unregistered.example'])
  })

  it('takes an IDN in Unicode', async () => {
    rdap.documents.set('xn--bcher-kva.com', rdapDocument('xn--bcher-kva.com'))
    expect((await get('Bücher.com')).body['data']).toMatchObject({ domain: 'xn--bcher-kva.com' })
  })

  it('slow look-ups of one account do not keep another account waiting', async () => {
    rdap.documents.set('quick.org', rdapDocument('quick.org'))
    const held: (() => void)[] = []
    rdap.respond = ({ url = '' }, response) => {
      if (url.includes('quick')) response.end(JSON.stringify(rdapDocument('quick.org')))
      else held.push(() => response.writeHead(404, { 'content-type': 'application/rdap+json' }).end('{}'))
    }
    const bob = await site.token(await site.account('bob@example.com'), 'whois:read')
    const slow = Array.from({ length: 70 }, (_, n) =>
      site.call('GET', `/v1/whois?domain=slow${String(n)}.com`, { token: bob }),
    )
    const refused = await Promise.race(slow)
    expect(refused).toMatchObject({ status: 400, body: { error: 'bad_request' } })
    expect(refused.body['message']).toMatch(/^The account has too many look-ups at a time/)
    await expect.poll(() => held.length).toBe(1)
    expect((await get('quick.org')).status).toBe(200)
    expect(held).toHaveLength(1)
    rdap.respond = undefined
    for (const release of held) release()
    const answers = await Promise.all(slow)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400, 404]))
  })

  it('answers by WHOIS if the registry has no RDAP', async () => {
    rdap.respond = (_, response) => response.writeHead(501).end()
    const text =
      'Domain: example.de\r\nNserver: ns1.example.net\r\nStatus: connect\r\nChanged: 2026-03-12T21:44:25+01:00\r\n'
    whois.answers.set('example.de', text)
    expect((await get('example.de')).body['data']).toMatchObject({
      domain: 'example.de',
      source: 'whois',
      raw: text.replaceAll('\r\n', '\n').trim(),
      registrar: null,
      created_at: null,
      updated_at: '2026-03-12T20:44:25.000Z',
      expires_at: null,
      dnssec: null,
      cached: false,
      nameservers: ['ns1.example.net'],
      statuses: ['connect'],
    })
    expect((await get('example.de')).body['data']).toMatchObject({ cached: true })
    expect((await get('free.de')).status).toBe(404)
    expect(whois.queries).toEqual(['example.de', 'free.de'])
  })

  it('502 without an address if no registry answers, and does not ask again at once', async () => {
    rdap.respond = (_, response) => response.destroy()
    whois.queries.length = 0
    whois.respond = (socket) => socket.resetAndDestroy()
    for (let n = 0; n < 2; n += 1) {
      expect(await get('example.net')).toMatchObject({
        status: 502,
        body: { error: 'upstream_error', message: 'The registry cannot be reached.' },
      })
    }
    whois.respond = undefined
    expect(rdap.requests).toEqual(['/domain/example.net'])
    expect(whois.queries).toEqual(['example.net'])
    expect(site.log.filter((line) => line.includes('no usable answer'))).not.toEqual([])
  })

  it.each([
    ['www.example.com', /^domain must be the apex domain example\.com, not its subdomain "www\.example\.com"\.$/],
    ['ada.github.io', /^domain must be the apex domain github\.io/],
    ['co.uk', /: it is a public suffix/],
    ['com', /: it has one label/],
    ['192.0.2.1', /: it is an IP address/],
    ['2.0.192.in-addr.arpa', /: it is a reverse zone/],
    ['https://example.com', /: it is a URL/],
    ['_x.com', /letters, digits and hyphens/],
    ['xn--a.com', /^domain must be an apex domain/],
    ['a..com', /^domain must be an apex domain/],
  ])('400 for the domain %s', async (domain, message) => {
    const { status, body } = await get(domain)
    expect(status).toBe(400)
    expect(body['message']).toMatch(message)
  })
})
