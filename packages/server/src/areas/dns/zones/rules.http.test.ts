import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds, type Answer } from '../../../../test/app.js'
import type { Browser } from '../../../../test/site.js'
import { startZoneSite, type ZoneSite } from '../../../../test/zone-site.js'

/** Tokens with rules for zones: what they read and write through every operation. */

type Fields = Record<string, unknown>

describe.each(databaseKinds)('rules for zones on %s', (kind) => {
  let zones: ZoneSite
  let ada: Browser
  beforeAll(async () => {
    zones = await startZoneSite(kind)
    ada = await zones.site.browser('ada@example.com')
  })
  afterAll(() => zones.stop())

  let count = 0
  let zone = ''
  let ids: Record<string, number> = {}
  /** A zone with an address at www, home.dyn and the apex, and a TXT record for ACME. */
  beforeEach(async () => {
    zone = `rules${String(++count)}.example`
    await ada.call('POST', '/dns/zones', { body: { zone } })
    ids = {}
    for (const [host, type, value] of [
      ['www', 'A', '192.0.2.1'],
      ['www', 'TXT', 'hello'],
      ['@', 'A', '192.0.2.2'],
      ['home.dyn', 'A', '192.0.2.3'],
      ['_acme-challenge', 'TXT', 'old'],
    ]) {
      const made = await ada.call('POST', `/dns/zones/${zone}/records`, { body: { host, type, value } })
      ids[`${host} ${type}`] = made.body['data'].id as number
    }
  })

  const make = async (...rules: Fields[]): Promise<string> => {
    const body = { name: `token ${String(++count)}`, scopes: ['*'], rules }
    const made = await ada.call('POST', '/keys', { body })
    expect(made.status, made.text).toBe(200)
    return made.body['data'].token as string
  }
  const ofZone = (fields: Fields = {}) => ({ kind: 'zone', name: zone, access: 'write', ...fields })
  const call = (token: string, method: string, path: string, body?: object): Promise<Answer> =>
    zones.site.call(method, `/v1/dns/zones${path}`, { token, ...(body && { body }) })
  const outcome = async (answer: Promise<Answer>) => {
    const { status, body } = await answer
    return status === 200 ? 200 : `${String(status)} ${String(body['error'])}`
  }
  const refused = '403 forbidden_zone'
  const hostsOf = async (token: string, query = '') =>
    ((await call(token, 'GET', `/${zone}/records${query}`)).body['data'].records as { host: string; type: string }[])
      .map(({ host, type }) => `${host} ${type}`)
      .sort()
  const create = (token: string, host: string, type = 'TXT', value = 'x') =>
    outcome(call(token, 'POST', `/${zone}/records`, { host, type, value }))

  it('a token for the ACME challenge of a zone can do nothing else', async () => {
    const token = await make(ofZone({ hosts: ['_acme-challenge', '_acme-challenge.**'], types: ['TXT'] }))
    expect(await create(token, '_acme-challenge', 'TXT', 'new')).toBe(200)
    expect(await create(token, '_ACME-challenge.www')).toBe(200)
    expect(await create(token, '_acme-challenge', 'CAA', '0 issue "a.example"')).toBe(refused)
    expect(await create(token, 'www')).toBe(refused)
    expect(await create(token, 'x._acme-challenge')).toBe(refused)
    for (const path of ['', `/${zone}`])
      expect(
        await outcome(call(token, path === '' ? 'POST' : 'DELETE', path, path === '' ? { zone } : undefined)),
      ).toBe(refused)
    expect(await outcome(call(token, 'GET', `/${zone}`))).toBe(200)
    expect(await outcome(call(token, 'POST', `/${zone}/verify`))).toBe(200)
    expect(await hostsOf(token)).toEqual(['_acme-challenge TXT', '_acme-challenge TXT', '_acme-challenge.www TXT'])
  })

  it('other zones are refused with one answer, whether or not they exist', async () => {
    const token = await make(ofZone())
    const other = `other${String(count)}.example`
    await ada.call('POST', '/dns/zones', { body: { zone: other } })
    const answers = await Promise.all(
      [other, 'nowhere.example'].flatMap((name) => [
        call(token, 'GET', `/${name}`),
        call(token, 'GET', `/${name}/records`),
        call(token, 'POST', `/${name}/records`, { type: 'A', host: 'www', value: '192.0.2.1' }),
        call(token, 'DELETE', `/${name}/records/1`),
        call(token, 'GET', `/${name}/zone-file`),
        call(token, 'DELETE', `/${name}`),
        call(token, 'POST', '', { zone: name }),
      ]),
    )
    expect(new Set(answers.map(({ status, body }) => `${String(status)} ${String(body['message'])}`))).toEqual(
      new Set(['403 No zone rule of this token allows this.']),
    )
    const listed = (await call(token, 'GET', '')).body['data'].zones as { zone: string }[]
    expect(listed.map((entry) => entry.zone)).toEqual([zone])
  })

  it('a rule without hosts and types allows everything in its zone; a read rule changes nothing', async () => {
    const writes = (token: string) =>
      Promise.all([
        create(token, 'new'),
        outcome(call(token, 'PATCH', `/${zone}/records/${String(ids['www A'])}`, { ttl: 600 })),
        outcome(call(token, 'PUT', `/${zone}/rrsets/www/A`, { values: ['192.0.2.7'], ttl: 300 })),
        outcome(call(token, 'DELETE', `/${zone}/records/${String(ids['www TXT'])}`)),
        outcome(call(token, 'POST', `/${zone}/zone-file/import`, { text: 'a 300 A 192.0.2.1' })),
      ])
    const reader = await make(ofZone({ access: 'read' }))
    expect(new Set(await writes(reader))).toEqual(new Set([refused]))
    expect(await outcome(call(reader, 'POST', `/${zone}/zone-file/preview`, { text: 'a 300 A 192.0.2.1' }))).toBe(200)
    expect(await hostsOf(reader)).toHaveLength(5)
    expect(new Set(await writes(await make(ofZone())))).toEqual(new Set([200]))
    expect(await outcome(call(await make(ofZone()), 'DELETE', `/${zone}`))).toBe(200)
  })

  it('403 for a record outside the hosts, and 404 for an id that does not exist', async () => {
    const token = await make(ofZone({ hosts: ['*.dyn'] }))
    for (const [method, body] of [['GET'], ['PATCH', { ttl: 600 }], ['DELETE']] as const) {
      const path = (id: number | undefined) => `/${zone}/records/${String(id)}`
      expect(await outcome(call(token, method, path(ids['www A']), body))).toBe(refused)
      expect(await outcome(call(token, method, path(987_654), body))).toBe('404 not_found')
      expect(await outcome(call(token, method, path(ids['home.dyn A']), body))).toBe(200)
    }
    expect(await outcome(call(token, 'PATCH', `/${zone}/records/${String(ids['www A'])}`, { value: 'bad' }))).toBe(
      refused,
    )
  })

  it('a move needs both hosts', async () => {
    const token = await make(ofZone({ hosts: ['*.dyn', 'b'] }))
    const move = (host: string) =>
      outcome(call(token, 'PATCH', `/${zone}/records/${String(ids['home.dyn A'])}`, { host }))
    expect(await move('other.example.dyn.c')).toBe(refused)
    expect(await move('www')).toBe(refused)
    expect(await move('b')).toBe(200)
  })

  it('a refusal tells nothing of the records that it would conflict with', async () => {
    await ada.call('POST', `/dns/zones/${zone}/records`, { body: { host: 'alias', type: 'CNAME', value: 'a.net' } })
    const token = await make(ofZone({ hosts: ['*.dyn'] }))
    const answers = [
      await call(token, 'POST', `/${zone}/records`, { host: 'alias', type: 'A', value: '192.0.2.1' }),
      await call(token, 'PUT', `/${zone}/rrsets/alias/A`, { values: ['192.0.2.1'] }),
      await call(token, 'POST', `/${zone}/zone-file/preview`, { text: 'alias 300 A 192.0.2.1' }),
      await call(token, 'PATCH', `/${zone}/records/${String(ids['home.dyn A'])}`, { host: 'alias' }),
    ]
    for (const answer of answers) expect(answer.body['message']).toBe('No zone rule of this token allows this.')
  })

  it('lists and exports only the records that a rule has', async () => {
    const token = await make(ofZone({ hosts: ['www'], access: 'read' }), ofZone({ types: ['TXT'], access: 'read' }))
    expect(await hostsOf(token)).toEqual(['_acme-challenge TXT', 'www A', 'www TXT'])
    expect(await hostsOf(token, '?type=A')).toEqual(['www A'])
    expect(await hostsOf(token, '?host=www')).toEqual(['www A', 'www TXT'])
    expect(await hostsOf(token, '?host=home.dyn')).toEqual([])
    expect(await hostsOf(token, '?name=' + zone)).toEqual([])
    const { text } = await call(token, 'GET', `/${zone}/zone-file`)
    expect(text).toContain('hello')
    expect(text).not.toMatch(/192\.0\.2\.[23]/)
  })

  it('an import needs every record of the file, and with replace every deleted one', async () => {
    const token = await make(ofZone({ hosts: ['www', 'home.dyn'] }))
    const run = (text: string, replace = false, step = 'import') =>
      outcome(call(token, 'POST', `/${zone}/zone-file/${step}`, { text, replace }))
    expect(await run('www 300 A 192.0.2.8')).toBe(200)
    expect(await run('@ 300 A 192.0.2.2')).toBe(refused)
    expect(await run('www 300 A 192.0.2.8', true)).toBe(refused)
    expect(await run('www 300 A 192.0.2.8', true, 'preview')).toBe(refused)
    for (const record of ['@ A', '_acme-challenge TXT'])
      await ada.call('DELETE', `/dns/zones/${zone}/records/${String(ids[record])}`)
    expect(await run('www 300 A 192.0.2.8', true)).toBe(200)
    expect(await hostsOf(token)).toEqual(['www A'])
  })

  it('a preview counts only the records that a rule has', async () => {
    const token = await make(ofZone({ hosts: ['www'], access: 'read' }))
    const preview = await call(token, 'POST', `/${zone}/zone-file/preview`, { text: 'www 3600 A 192.0.2.1' })
    expect(preview.body['data']).toMatchObject({ created: 0, unchanged: 2, changes: [] })
  })

  it('a batch needs every record that its changes remove and add, and is refused as a whole', async () => {
    const token = await make(ofZone({ hosts: ['*.dyn', '_acme-challenge'] }))
    const batch = (changes: object[], dryRun = false) =>
      call(token, 'POST', `/${zone}/records/batch`, { changes, dry_run: dryRun })
    const inside = { create: { type: 'TXT', host: 'new.dyn', value: 'x' } }
    const before = await hostsOf(token)
    for (const [kind, change] of [
      ['create', { type: 'A', host: 'b', value: '192.0.2.1' }],
      ['update', { id: ids['www A'], ttl: 600 }],
      ['update', { id: ids['www A'], value: 'invalid' }],
      ['update', { id: ids['home.dyn A'], host: 'www' }],
      ['delete', { id: ids['@ A'] }],
      ['replace', { host: 'www', type: 'TXT', values: ['y'] }],
    ] as const)
      for (const dryRun of [false, true]) {
        const { status, body } = await batch([inside, { [kind]: change }], dryRun)
        expect([status, body['error'], body['zone']]).toEqual([403, 'forbidden_zone', zone])
        expect(body['message']).toBe(`changes[1].${kind}: No zone rule of this token allows this.`)
      }
    expect((await batch([inside, { delete: { id: 987_654 } }])).status).toBe(404)
    expect(await hostsOf(token)).toEqual(before)
    const changes = [
      inside,
      { update: { id: ids['home.dyn A'], host: 'moved.dyn' } },
      { delete: { id: ids['_acme-challenge TXT'] } },
      { replace: { host: '_acme-challenge', type: 'TXT', values: ['y'] } },
    ]
    expect((await batch(changes, true)).status).toBe(200)
    expect((await batch(changes)).status).toBe(200)
    expect(await hostsOf(token)).toEqual(['_acme-challenge TXT', 'moved.dyn A', 'new.dyn TXT'])
    expect(
      await outcome(call(await make(ofZone({ access: 'read' })), 'POST', `/${zone}/records/batch`, { changes })),
    ).toBe(refused)
  })

  it('many creates at once are checked one by one', async () => {
    const token = await make(ofZone({ hosts: ['*.dyn'] }))
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, i) => create(token, i % 2 === 0 ? `h${String(i)}.dyn` : `h${String(i)}`)),
    )
    expect(outcomes).toEqual(Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? 200 : refused)))
    expect(await hostsOf(token)).toHaveLength(31)
  })

  it('rules may name a zone that does not exist yet, and the token claims it', async () => {
    const name = `later${String(++count)}.example`
    const token = await make(ofZone({ name: name.toUpperCase() }))
    expect(await outcome(call(token, 'POST', '', { zone: name }))).toBe(200)
    expect(await outcome(call(token, 'POST', '', { zone: `x${name}` }))).toBe(refused)
  })

  it('warnings name no records outside the rules', async () => {
    await ada.call('POST', `/dns/zones/${zone}/records`, { body: { host: 'mail', type: 'CNAME', value: 'a.net' } })
    const make2 = (hosts: string[]) => make(ofZone({ hosts }))
    const warnings = async (token: string) =>
      (await call(token, 'PUT', `/${zone}/rrsets/www/MX`, { values: [`mail.${zone}`], priority: 10, ttl: 300 })).body[
        'data'
      ].warnings as object[]
    expect(await warnings(await make2(['www', 'mail']))).toHaveLength(1)
    expect(await warnings(await make2(['www']))).toHaveLength(0)
  })
})
