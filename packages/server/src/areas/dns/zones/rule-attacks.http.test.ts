import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds, type Answer } from '../../../../test/app.js'
import type { Browser } from '../../../../test/site.js'
import { dataOf, startZoneSite, type ZoneSite } from '../../../../test/zone-site.js'

/** Requests that try to get around the rules of a token by spelling, by the form of the request, or through another operation. */

const [mine, other] = ['mine-bücher.example', 'other.example']
const canonical = 'xn--mine-bcher-feb.example'
const www = { type: 'A', host: 'www', value: '192.0.2.9' }

describe.each(databaseKinds)('attacks on the rules of a token on %s', (kind) => {
  let zones: ZoneSite
  let ada: Browser
  let token = ''
  /** Ids of the records www and home of the zone with a rule. */
  let ids: readonly number[] = []
  beforeAll(async () => {
    zones = await startZoneSite(kind)
    ada = await zones.site.browser('ada@example.com')
    for (const zone of [mine, other, '1.10.in-addr.arpa']) await ada.call('POST', '/dns/zones', { body: { zone } })
    const create = async (zone: string, body: object) =>
      (await ada.call('POST', `/dns/zones/${encodeURIComponent(zone)}/records`, { body })).body['data'].id as number
    ids = [await create(mine, www), await create(mine, { ...www, host: 'home' })]
    await create(other, www)
    const rules = [
      { kind: 'zone', name: mine, hosts: ['home', '*.dyn', 'bücher'], types: ['A', 'TXT', 'CNAME'], access: 'write' },
      { kind: 'site', name: 'docs', access: 'write' },
    ]
    const made = await ada.call('POST', '/keys', { body: { name: 'attacker', scopes: ['*'], rules } })
    expect(made.status, made.text).toBe(200)
    token = made.body['data'].token as string
  })
  afterAll(() => zones.stop())

  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    zones.site.call(method, path, { token, ...(body !== undefined && { body }) })
  const zonePath = `/v1/dns/zones/${canonical}`
  const records = `${zonePath}/records`
  /** Everything that the account has in its zones. */
  const everything = async () =>
    Promise.all(
      [canonical, other, '1.10.in-addr.arpa'].map(async (zone) =>
        (await ada.call('GET', `/dns/zones/${zone}/records`)).text.replace(/"request_id":"[^"]*"/, ''),
      ),
    )
  /** Sends requests, of which none may change a record or succeed. */
  async function expectRefused(
    requests: readonly (readonly [method: string, path: string, body?: unknown])[],
    statuses: readonly number[] = [403],
  ) {
    const before = await everything()
    for (const [method, path, body] of requests) {
      const { status, text } = await call(method, path, body)
      expect(statuses, JSON.stringify([method, path, body, text])).toContain(status)
    }
    expect(await everything()).toEqual(before)
  }

  it('no spelling of a zone without a rule is read or written', () =>
    expectRefused(
      [
        'other.example',
        'OTHER.example',
        'other.example.',
        'oth%65r.example',
        'ｏther.example',
        'other。example',
        'other%2Eexample',
        '%6Fther.EXAMPLE.',
        '1.10.in-addr.arpa',
        '1.10.IN-ADDR.arpa',
        `${canonical}.`.replace('mine', 'other'),
      ].flatMap((zone) => [
        ['GET', `/v1/dns/zones/${zone}`] as const,
        ['GET', `/v1/dns/zones/${zone}/records?limit=1`] as const,
        ['GET', `/v1/dns/zones/${zone}/zone-file`] as const,
        ['POST', `/v1/dns/zones/${zone}/records`, { ...www, host: 'home' }] as const,
        ['POST', `/v1/dns/zones/${zone}/records/batch`, { changes: [{ create: { ...www, host: 'home' } }] }] as const,
        ['PUT', `/v1/dns/zones/${zone}/rrsets/home/A`, { values: ['192.0.2.9'], ttl: 300 }] as const,
        ['POST', `/v1/dns/zones/${zone}/zone-file/import`, { text: 'home 300 A 192.0.2.9' }] as const,
        ['DELETE', `/v1/dns/zones/${zone}`] as const,
      ]),
    ))

  it('every spelling of the zone with a rule has its rule, and no more', async () => {
    for (const zone of [
      mine,
      mine.toUpperCase(),
      `${canonical}.`,
      canonical.toUpperCase(),
      'MINE-BU\u0308CHER.example',
    ]) {
      const path = `/v1/dns/zones/${encodeURIComponent(zone)}/records`
      expect((await call('GET', path)).body['data'].records).toMatchObject([{ host: 'home' }])
      await expectRefused([
        ['POST', path, www],
        ['DELETE', `${path}/${String(ids[0])}`],
      ])
    }
  })

  it('no spelling of a host without a rule is written', () =>
    expectRefused(
      [
        'WWW',
        'ｗｗｗ',
        'www.',
        '@',
        '',
        '*',
        '*.home',
        'a.home',
        'a.b.dyn',
        'dyn',
        `home.${canonical}`,
        'home.home',
        '.home',
        'home..',
      ].flatMap((host) => [
        ['POST', records, { ...www, host }] as const,
        ['PATCH', `${records}/${String(ids[1])}`, { host }] as const,
        ['POST', `${records}/batch`, { changes: [{ update: { id: ids[1], host } }] }] as const,
        [
          'POST',
          `${records}/batch`,
          { changes: [{ replace: { host: host || '@', type: 'A', values: ['192.0.2.9'], ttl: 300 } }] },
        ] as const,
        [
          'PUT',
          `/v1/dns/zones/${canonical}/rrsets/${encodeURIComponent(host || '@')}/A`,
          { values: ['192.0.2.9'], ttl: 300 },
        ] as const,
      ]),
      // A name that no record can have is 400.
      [400, 403],
    ))

  const files = [
    `$ORIGIN ${other}.\nhome 300 A 192.0.2.7`,
    `$ORIGIN www.${canonical}.\n@ 300 A 192.0.2.7`,
    `$ORIGIN dyn.${canonical}.\na.b 300 A 192.0.2.7`,
    `home.${other}. 300 A 192.0.2.7`,
    `www.${canonical}. 300 A 192.0.2.7`,
    'WWW 300 A 192.0.2.7',
    '\\119ww 300 A 192.0.2.7',
    'home 300 A 192.0.2.7\n@ 300 A 192.0.2.7',
    'home 300 A 192.0.2.7\n 300 A 192.0.2.8\nwww 300 A 192.0.2.7',
    'home 300 MX 10 mail.example.',
    'home 300 NS ns.example.',
    'www 300 CNAME x.example.\nhome 300 A not-an-address',
  ]

  it('no zone file reaches another host or zone by its directives', () =>
    expectRefused(
      files.flatMap((text) =>
        [false, true].map((replace) => ['POST', `${zonePath}/zone-file/import`, { text, replace }] as const),
      ),
      // A file that cannot be read is 400.
      [400, 403],
    ))

  it('the preview of such a file names no record of the zone', async () => {
    for (const text of files)
      for (const replace of [false, true]) {
        const answer = await call('POST', `${zonePath}/zone-file/preview`, { text, replace })
        // Problems of the file itself are 200.
        if (answer.status !== 403) expect(dataOf(answer)).toMatchObject({ created: 0, deleted: 0, changes: [] })
        expect(answer.text).not.toContain(www.value)
      }
  })

  it('changes of one batch cannot lend each other what they may not touch', () =>
    expectRefused([
      [
        'POST',
        `${records}/batch`,
        { changes: [{ create: { ...www, host: 'a.dyn' } }, { update: { id: 3, host: 'www' } }] },
      ],
      ['POST', `${records}/batch`, { changes: [{ update: { id: ids[0], host: 'home' } }] }],
      [
        'POST',
        `${records}/batch`,
        { changes: [{ delete: { id: ids[1] } }, { create: { type: 'CNAME', host: 'www', value: 'x.example' } }] },
      ],
      ['POST', `${records}/batch`, { changes: [{ delete: { id: ids[0] } }], dry_run: true }],
      [
        'POST',
        `${records}/batch`,
        { changes: [{ create: { type: 'MX', host: 'home', value: 'm.example', priority: 1 } }] },
      ],
    ]))

  it('zones beside, above and below those with a rule are not claimed', async () => {
    const before = (await ada.call('GET', '/dns/zones')).body['data'].zones as object[]
    for (const zone of [
      'new.example',
      `www.${canonical}`,
      '10.in-addr.arpa',
      '2.1.10.in-addr.arpa',
      other,
      'OTHER.EXAMPLE.',
      mine,
    ])
      expect((await call('POST', '/v1/dns/zones', { zone })).status).toBe(403)
    expect((await call('DELETE', `/v1/dns/zones/${canonical}`)).status).toBe(403)
    expect((await ada.call('GET', '/dns/zones')).body['data'].zones).toEqual(before)
  })

  it('pages and filters show no record and no zone without a rule, and do not count them', async () => {
    for (const query of [
      '?limit=1',
      '?limit=1&before=2',
      '?type=A&limit=5',
      '?host=www&limit=5',
      `?name=www.${canonical}&limit=1`,
      '?before=1',
    ])
      for (const { host } of (await call('GET', `${records}${query}`)).body['data'].records as { host: string }[])
        expect(host).toBe('home')
    expect((await call('GET', `${records}?limit=1`)).body['data']).toMatchObject({ total: 1, next: null })
    expect((await call('GET', `${records}?host=www&limit=1`)).body['data']).toMatchObject({ total: 0, records: [] })
    expect((await call('GET', '/v1/dns/zones?limit=1')).body['data']).toMatchObject({
      zones: [{ zone: canonical }],
      total: 1,
      next: null,
    })
  })

  it('of two fields with one name, the checked one is the one that is used', async () => {
    const before = (await ada.call('GET', '/dns/zones')).text.length
    for (const body of [
      `{"zone":"${canonical}","zone":"dup.example"}`,
      `{"zone":"dup.example","zone":"${canonical}"}`,
      `{"__proto__":{"zone":"${canonical}"},"zone":"dup.example"}`,
    ]) {
      const answer = await fetch(`${zones.site.url}/v1/dns/zones`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body,
      })
      expect(answer.ok, body).toBe(false)
    }
    expect((await ada.call('GET', '/dns/zones')).text.length).toBe(before)
    for (const order of [
      ['docs', 'blog'],
      ['blog', 'docs'],
    ] as const) {
      const form = new FormData()
      for (const name of order) form.append('name', name)
      form.append('archive', new Blob(['x']), 'site.zip')
      const answer = await fetch(`${zones.site.url}/v1/sites/deploy`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: form,
      })
      expect(answer.ok).toBe(false)
    }
    const sites = (await ada.call('GET', '/sites')).body['data'].sites as { name: string }[]
    expect(sites).toEqual([])
  })

  it('the door of the console takes no token', async () => {
    for (const path of ['/keys', '/overview', '/search?text=other', '/dns/zones'])
      expect((await call('GET', `/console/api${path}`)).status, path).toBe(401)
    const headers = { origin: zones.site.url }
    for (const path of ['/keys', '/keys/update', '/keys/rotate', '/keys/revoke-all'])
      expect((await zones.site.call('POST', `/console/api${path}`, { token, body: {}, headers })).status, path).toBe(
        401,
      )
  })

  it('what the token is told of itself names nothing else', async () => {
    for (const path of [
      '/v1/account/me',
      '/v1/ai',
      '/v1/ai?format=json',
      '/v1/dns/zones',
      '/v1/sites',
      '/v1/sites/domains',
    ])
      expect((await call('GET', path)).text).not.toContain(other)
  })

  it('a second request on one connection has its own token', async () => {
    const { port, hostname } = new URL(zones.site.url)
    const socket = connect(Number(port), hostname)
    const request = (authorization: string, path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\n${authorization}\r\n\r\n`
    const text = await new Promise<string>((resolve, reject) => {
      let received = ''
      socket.setTimeout(10_000, () => reject(new Error('no answer')))
      socket.on('error', reject)
      socket.on('data', (data) => {
        received += data.toString()
        if (received.split('HTTP/1.1 ').length === 3 && received.includes('forbidden_zone')) resolve(received)
      })
      const owner = zones.tokens.ada
      socket.write(request(`Authorization: Bearer ${owner}`, `/v1/dns/zones/${other}`))
      socket.write(request(`Authorization: Bearer ${token}\r\nConnection: close`, `/v1/dns/zones/${other}`))
    })
    socket.destroy()
    expect(text.split('HTTP/1.1 ').map((part) => part.slice(0, 3))).toEqual(['', '200', '403'])
  })
})
