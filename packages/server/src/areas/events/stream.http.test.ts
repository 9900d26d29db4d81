import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { TokenScope } from '@svc/contract'
import { databaseKinds, type TestApp } from '../../../test/app.js'
import { openStream, type OpenStream } from '../../../test/event-stream.js'
import { expectError, send } from '../../../test/raw-http.js'
import { startSite, type Site } from '../../../test/site.js'
import { apiHost, startTlsSite } from '../../../test/tls-site.js'
import type { Account } from '../../shared/account.js'
import type { Rules } from '../../shared/rules.js'
import { unlimited } from '../account/tokens/limits.js'
import { tokenStore } from '../account/tokens/store.js'

describe.each(databaseKinds)('the stream of events on %s', (kind) => {
  let site: Site
  let other: TestApp
  let ada: Account
  let token = ''
  const open: OpenStream[] = []
  let zones = 0
  beforeAll(async () => {
    site = await startSite(kind)
    other = await site.another()
    ada = await site.account('ada@example.com')
    token = await site.token(ada, 'dns:write', 'account:write')
  })
  afterEach(() => {
    for (const stream of open.splice(0)) stream.close()
  })
  afterAll(async () => {
    await other.stop()
    await site.stop()
  })

  async function listen(query = '', by = token, headers: Record<string, string> = {}, at: TestApp = site) {
    const stream = await openStream(`${at.url}/v1/events${query}`, { authorization: `Bearer ${by}`, ...headers })
    open.push(stream)
    return stream
  }
  const refused = (path: string, by = token, headers: Record<string, string> = {}) =>
    send(site.url, 'GET', path, { headers: { authorization: `Bearer ${by}`, ...headers } })

  /** Claims a new zone. @returns its name */
  async function claim(at: TestApp = site, by = token): Promise<string> {
    const zone = `live-${String(++zones)}.example`
    const { status, text } = await at.call('POST', '/v1/dns/zones', { token: by, body: { zone } })
    expect(status, text).toBe(200)
    return zone
  }
  const withRules = async (scopes: TokenScope[], rules: Rules | null = null) =>
    (await tokenStore(site.app.database).create(ada, `narrow ${String(++zones)}`, scopes, { ...unlimited, rules }))
      .token
  const objects = ({ events }: OpenStream) => events.map(({ data }) => data?.['object'] as string)

  it('begins with the place of the stream and sends what happens', async () => {
    const stream = await listen()
    expect(stream.status).toBe(200)
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'access-control-allow-origin': '*',
      'x-request-id': expect.stringMatching(/^req_[0-9a-f]{16}$/),
    })
    expect(stream.text()).toMatch(/^retry: 3000\nid: \d+\n\n$/)
    const zone = `live-${String(++zones)}.example`
    const { body } = await site.call('POST', '/v1/dns/zones', { token, body: { zone } })
    await stream.until(1)
    expect(stream.text()).toMatch(/\n\nid: \d+\ndata: \{[^\n]*\}\n\n$/)
    const [{ id, event, data } = {} as never] = stream.events
    expect(event).toBeUndefined()
    expect(data).toEqual({
      id: Number(id),
      at: expect.stringMatching(/Z$/),
      area: 'dns',
      action: 'zone_claim',
      object: zone,
      actor: { kind: 'token', name: expect.any(String), id: expect.any(Number) },
      request_id: body['request_id'],
      zone,
      serial: expect.any(Number),
    })
  })

  it('sends a change that was made in another process', async () => {
    const stream = await listen()
    const zone = await claim(other)
    await stream.until(1)
    expect(objects(stream)).toEqual([zone])
  })

  it('continues behind the last id, without a gap and without a repetition', async () => {
    const stream = await listen()
    const seen = [await claim(), await claim()]
    await stream.until(2)
    const first = stream.events[0]!.id!
    stream.close()
    seen.push(await claim(), await claim())
    for (const continued of [
      await listen('', token, { 'last-event-id': first }),
      await listen(`?last_event_id=${first}`),
      await listen('?last_event_id=0', token, { 'last-event-id': first }),
      await listen('', token, { 'last-event-id': first }, other),
    ]) {
      await continued.until(3)
      expect(objects(continued)).toEqual(seen.slice(1))
      expect(continued.text()).toContain(`retry: 3000\nid: ${first}\n\n`)
    }
    const last = await claim()
    for (const continued of open.slice(1)) {
      await continued.until(4)
      expect(objects(continued)).toEqual([...seen.slice(1), last])
    }
  })

  it('misses nothing that happens before the first event, because the opening has an id', async () => {
    const stream = await listen()
    const id = stream.lastId()
    stream.close()
    const zone = await claim()
    const continued = await listen('', token, { 'last-event-id': id })
    await continued.until(1)
    expect(objects(continued)).toEqual([zone])
  })

  it('sends many events of the past in order, while new ones happen', async () => {
    const { lastId } = await listen()
    const start = lastId()
    const made = 450
    await site.sql(
      `insert into account_event (account_id, at, area, action, object, actor_kind, actor_name)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < ${String(made)})
       select ${String(ada.id)}, 1, 'account', 'nickname_change', 'past ' || i, 'session', 'console' from n`,
    )
    const [continued, zone] = await Promise.all([listen('', token, { 'last-event-id': start }), claim()])
    await continued.until(made + 1)
    expect(objects(continued)).toEqual([...Array.from({ length: made }, (_, i) => `past ${String(i + 1)}`), zone])
    const ids = continued.events.map(({ id }) => Number(id))
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b))
  })

  it('misses nothing and repeats nothing when the connection is reset at each point', async () => {
    const before = await claim()
    const start = await listen('?last_event_id=0')
    await start.has(before)
    let last = start.lastId()
    const values = Array.from(
      { length: 60 },
      (_, i) => `(${String(ada.id)}, 1, 'account', 'nickname_change', 'reset ${String(i)}', 'session', 'console')`,
    )
    const columns = 'account_id, at, area, action, object, actor_kind, actor_name'
    // Half of them are of the past at the first connection, and the rest happen during the later ones.
    const happen = (some: string[]) => site.sql(`insert into account_event (${columns}) values ${some.join()}`)
    await happen(values.slice(0, 30))
    const seen: string[] = []
    for (let round = 0; seen.length < values.length; round++) {
      const stream = await listen('', token, { 'last-event-id': last })
      if (round < 30) await happen(values.slice(30 + round, 31 + round))
      const happened = Math.min(31 + round, values.length)
      await stream.until(Math.min(round % 7, happened - seen.length))
      stream.close()
      seen.push(...objects(stream))
      last = stream.lastId()
    }
    expect(seen).toEqual(values.map((_, i) => `reset ${String(i)}`))
  })

  it('says so if events behind the last id are not kept any more, and goes on from now', async () => {
    const { lastId } = await listen()
    const now = Number(lastId())
    const lost = [await listen('', token, { 'last-event-id': String(now + 1_000_000) })]
    await claim()
    await site.sql('delete from account_event where id <= (select min(id) + 1 from account_event)')
    lost.push(await listen('?last_event_id=1'))
    const zone = await claim()
    for (const stream of lost) {
      await stream.has(zone)
      expect(stream.events[0]).toMatchObject({
        event: 'reset',
        data: { reset: true, id: Number(stream.events[0]!.id) },
      })
    }
  })

  it('400 for a last id that is not one, and for an unknown area', async () => {
    for (const id of ['x', '-1', '1.5', '99999999999999999'])
      expectError(await refused('/v1/events', token, { 'last-event-id': id }), 'bad_request')
    expect((await refused('/v1/events?area=dns,none')).body['message']).toMatch(
      /^area must be one or more of account, dns/,
    )
    expectError(await refused('/v1/events?last_event_id=-1'), 'bad_request')
  })

  it('sends only the areas that were asked for, and those that the scopes can read', async () => {
    const [all, dns, account] = [await listen(), await listen('?area=dns'), await listen('?area=account')]
    const readers = [
      await listen('', await withRules(['dns:read'])),
      await listen('', await withRules(['account:read'])),
    ]
    const zone = await claim()
    await withRules(['dns:read'])
    await all.until(4)
    await Promise.all([dns.until(1), account.until(3), ...readers.map((reader) => reader.until(1))])
    expect(new Set(dns.events.map(({ data }) => data?.['area']))).toEqual(new Set(['dns']))
    expect(new Set(account.events.map(({ data }) => data?.['area']))).toEqual(new Set(['account']))
    const last = await claim()
    await readers[0]!.until(2)
    expect(objects(readers[0]!)).toEqual([zone, last])
    expect(new Set(readers[1]!.events.map(({ data }) => data?.['area']))).toEqual(new Set(['account']))
  })

  it('403 for an area that the scopes cannot read, and without the scope of any area', async () => {
    const answer = await refused('/v1/events?area=dns,account', await withRules(['dns:write']))
    expectError(answer, 'forbidden_scope')
    expect(answer.body['required_scopes']).toEqual(['account:read', 'account:write'])
    expectError(await refused('/v1/events', await withRules(['whois:read'])), 'forbidden_scope')
    expect((await send(site.url, 'GET', '/v1/events')).status).toBe(401)
  })

  it('a token with rules gets the events of the zones that they allow', async () => {
    const allowed = await claim()
    const rules = [{ kind: 'zone', name: allowed, access: 'read' }] as const
    const since = (await listen()).lastId()
    const narrow = await listen('', await withRules(['dns:read'], rules))
    await claim()
    const body = { type: 'A', host: 'www', value: '192.0.2.1', ttl: 300 }
    await site.call('POST', `/v1/dns/zones/${allowed}/records`, { token, body })
    await narrow.until(1)
    const past = await listen(`?last_event_id=${since}`, await withRules(['dns:read'], rules))
    await past.until(1)
    for (const stream of [narrow, past]) expect(new Set(objects(stream))).toEqual(new Set([allowed]))
  })

  it('sends nothing of another account, live or of the past', async () => {
    const bob = await site.account(`bob-${String(++zones)}@example.com`)
    const bobs = await site.token(bob, '*')
    const streams = [await listen('', bobs), await listen('?last_event_id=0', bobs), await listen('', bobs, {}, other)]
    await claim()
    const own = await claim(site, bobs)
    for (const stream of streams) {
      await stream.has(own)
      const named = stream.events.filter(({ event }) => event !== 'reset')
      expect(
        named.filter(({ data }) => data?.['area'] === 'dns').map(({ data }) => data?.['object'] as string),
      ).toEqual([own])
    }
  })

  it('is open to a session of the console', async () => {
    const browser = await site.browser('ada@example.com')
    const stream = await openStream(`${site.url}/console/api/events`, { cookie: browser.cookie })
    open.push(stream)
    // The sign-in is an event too, which may come first.
    await stream.has(await claim())
    expect(stream.headers['access-control-allow-origin']).toBeUndefined()
  })

  it('answers HEAD with the headers only', async () => {
    const answer = await send(site.url, 'HEAD', '/v1/events', { headers: { authorization: `Bearer ${token}` } })
    expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([
      200,
      '',
      'text/event-stream; charset=utf-8',
    ])
  })

  it('refuses more than 50 streams of an account, and takes one again when another has ended', async () => {
    const carol = await site.token(await site.account('carol@example.com'), 'dns:read')
    const many = await Promise.all(Array.from({ length: 50 }, () => listen('', carol)))
    const answer = await refused('/v1/events', carol)
    expectError(answer, 'bad_request')
    expect(answer.body['message']).toContain('The account has 50 open streams of events')
    expect(answer.headers['retry-after']).toBe('30')
    const bob = await site.account(`bob-${String(++zones)}@example.com`)
    expect((await listen('', await site.token(bob, 'account:read'))).status).toBe(200)
    many[0]!.close()
    await expect.poll(async () => (await listen('', carol)).status, { timeout: 10_000 }).toBe(200)
  })
})

it('sends events over TLS', async () => {
  const tls = await startTlsSite()
  const ada = await tls.site.account('ada@example.com')
  const token = await tls.site.token(ada, 'dns:write')
  const socket = await tls.open(apiHost)
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  socket.write(`GET /v1/events HTTP/1.1\r\nHost: ${apiHost}\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  await expect.poll(() => text).toContain('retry: 3000')
  await tls.site.call('POST', '/v1/dns/zones', { token, body: { zone: 'tls.example' } })
  await expect.poll(() => text).toContain('"zone":"tls.example"')
  socket.destroy()
  await tls.stop()
})
