import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { groupBy } from '@svc/contract/group-by'
import { databaseKinds, type Envelope } from '../../test/app.js'
import { expectError } from '../../test/raw-http.js'
import { deploySite } from '../../test/site-host.js'
import { startSite, type Browser, type Site } from '../../test/site.js'

/** The search of the console, through the real server and the stores of all areas. */

describe.each(databaseKinds)('the search of the console on %s', (kind) => {
  let site: Site
  let ada: Browser
  let bob: Browser
  beforeAll(async () => {
    site = await startSite(kind)
    ada = await fill('ada@example.com', 'needle')
    bob = await fill('bob@example.com', 'other')
  })
  afterAll(() => site.stop())

  /** Gives an account one of each kind with the name in it, and one without it. */
  async function fill(email: string, name: string): Promise<Browser> {
    const account = await site.account(email)
    const browser = await site.browser(email)
    const call = async (method: string, path: string, body: object) => {
      const answer = await browser.call(method, path, { body })
      expect(answer.status, answer.text).toBe(200)
      return answer.body['data'] as Envelope
    }
    for (const text of [name, `hay-of-${email.slice(0, 3)}`]) {
      await call('POST', '/keys', { name: `key ${text}` })
      const secret = { platform: 'Shop', label: text, username: `u-${text}`, secret: `secret-of-${text}` }
      await call('POST', '/cred', secret)
      await call('POST', '/deployments/create', { kind: 'form', slug: `form-${text}` })
      await call('POST', '/deployments/create', {
        kind: 'shortlink',
        slug: `link-${email.slice(0, 3)}-${text.length.toString()}`,
        target: `https://example.com/${text}?100%_of=it`,
      })
      await call('POST', '/dns/zones', { zone: `${text}.com` })
      await call('POST', `/dns/zones/${text}.com/records`, { type: 'A', host: 'www', value: '192.0.2.1' })
      await call('POST', `/dns/zones/${text}.com/records`, { type: 'TXT', host: '@', value: `proof of ${text}` })
      // Not by a request: a server without ACME refuses it.
      await site.sql(
        `insert into tls_zone (account_id, zone, created_at) values (${String(account.id)}, '${text}.com', 5)`,
      )
      await site.sql(`insert into certificate (account_id, zone, site, names, next_at, failures)
        values (${String(account.id)}, '${text}.com', 'blog', '["own.${text}.com"]', 9000000000000, 0)`)
      await call('POST', '/domains/add', { domains: [`${text}.net`] })
      await call('POST', '/files/upload', { name: `${text}.txt`, content: 'aGVsbG8=' })
      const artifacts = [{ name: 'a.txt', content: 'aGVsbG8=' }]
      await call('POST', '/packages/publish', { slug: `pkg-${text}`, version: '1.0.0', artifacts })
      await deploySite(site.url, await site.token(account, 'sites:write'), `site-${text}`, { 'index.html': text })
      const { key } = await call('POST', '/sms/keys', { label: text })
      const sent = await site.call('POST', `/sms/${String(key)}`, {
        body: { from: `From ${text}`, text: `body ${text}` },
      })
      expect(sent.status, sent.text).toBe(200)
    }
    return browser
  }

  const ask = (q: string, by = ada) => by.call('GET', `/search?${new URLSearchParams({ q }).toString()}`)

  async function find(q: string, by = ada): Promise<{ kind: string; label: string; detail: string; path: string[] }[]> {
    const answer = await ask(q, by)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body['data'].complete).toBe(true)
    return answer.body['data'].found
  }

  const id = expect.stringMatching(/^[1-9]\d*$/)
  const ofNeedle = [
    { kind: 'zone', label: 'needle.com', detail: 'verified', path: ['needle.com'] },
    { kind: 'certificate', label: 'needle.com', detail: '*.needle.com', path: ['needle.com'] },
    { kind: 'certificate', label: 'own.needle.com', detail: 'blog', path: ['own.needle.com'] },
    { kind: 'domain', label: 'needle.net', detail: '', path: ['needle.net'] },
    { kind: 'file', label: 'needle.txt', detail: expect.stringMatching(/^text\/plain/), path: [id] },
    { kind: 'site', label: 'site-needle', detail: '', path: ['site-needle'] },
    { kind: 'package', label: 'pkg-needle', detail: '', path: ['pkg-needle'] },
    { kind: 'form', label: 'form-needle', detail: '', path: [id] },
    { kind: 'shortlink', label: 'link-ada-6', detail: 'https://example.com/needle?100%_of=it', path: [id] },
    { kind: 'key', label: 'key needle', detail: expect.stringMatching(/^svc_.{6}…$/), path: [id] },
    { kind: 'credential', label: 'Shop · needle', detail: 'u-needle', path: [id] },
    { kind: 'record', label: 'needle.com', detail: 'TXT proof of needle', path: ['needle.com', id] },
    { kind: 'sender', label: 'From needle', detail: '', path: ['From needle'] },
  ]
  const byKind = (a: { kind: string }, b: { kind: string }) => a.kind.localeCompare(b.kind)

  it.each(['needle', 'NEEDLE', ' needle '])('finds each kind by a part of its name: "%s"', async (text) => {
    expect((await find(text)).toSorted(byKind)).toEqual(ofNeedle.toSorted(byKind))
  })

  it('has what begins with the text first', async () => {
    const labels = (await find('needle')).map(({ label }) => label.startsWith('needle'))
    expect(labels).toEqual(labels.toSorted((a, b) => Number(b) - Number(a)))
  })

  it.each([
    ['www.needle.com', [['record', 'www.needle.com']]],
    ['proof of n', [['record', 'needle.com']]],
    ['u-needle', [['credential', 'Shop · needle']]],
    ['*.needle', [['certificate', 'needle.com']]],
    ['own.n', [['certificate', 'own.needle.com']]],
    ['"own', []],
    ['needle?100%_of', [['shortlink', 'link-ada-6']]],
    ['needle?100%of', []],
    ['n__dle', []],
    ['nee%dle', []],
    ['\\', []],
    ["' or 1=1", []],
    ['Ω', []],
    // Of the secrets of credentials and the bodies of messages.
    ['secret-of', []],
    ['body needle', []],
  ])('%s finds %j', async (text, expected) => {
    expect((await find(text)).map(({ kind: of, label }) => [of, label])).toEqual(expected)
  })

  it('finds nothing of another account', async () => {
    expect(await find('needle', bob)).toEqual([])
    expect(await find('hay-of-ada', bob)).toEqual([])
    expect((await find('other', bob)).length).toBeGreaterThan(11)
    expect(await find('other')).toEqual([])
  })

  it('finds pending zones, and no records of them', async () => {
    // A zone that another account holds.
    await ada.call('POST', '/dns/zones', { body: { zone: 'other.com' } })
    expect(await find('other.com')).toEqual([
      { kind: 'zone', label: 'other.com', detail: 'pending', path: ['other.com'] },
    ])
    expect(await find('www.other')).toEqual([])
  })

  it('has at most five of a kind, and twenty in all', async () => {
    const carol = await site.account('carol@example.com')
    const browser = await site.browser('carol@example.com')
    const rows = Array.from({ length: 30 }, (_, n) => `many-${String(n)}`)
    for (const name of rows.slice(0, 8)) await browser.call('POST', '/keys', { body: { name } })
    await browser.call('POST', '/domains/add', { body: { domains: rows.map((name) => `${name}.net`) } })
    for (const slug of rows.slice(0, 7))
      await browser.call('POST', '/deployments/create', { body: { kind: 'form', slug } })
    await site.sql(`insert into file (account_id, name, media_type, size, sha256, edge_ttl, serving, edge_version, created_at, updated_at)
      ${rows.map((name) => `select ${String(carol.id)}, '${name}', 'text/plain', 0, '', 3600, 1, 0, 1, 1`).join(' union all ')}`)
    for (const name of rows.slice(0, 6)) await browser.call('POST', '/dns/zones', { body: { zone: `${name}.org` } })
    const found = await find('many', browser)
    expect(found).toHaveLength(20)
    const counts = groupBy(found, ({ kind: of }) => of)
    expect([...counts.values()].map((all) => all.length)).toEqual([5, 5, 5, 5])
  })

  it('searches the records of many zones, and stops when it has enough', async () => {
    await site.account('dora@example.com')
    const browser = await site.browser('dora@example.com')
    for (let n = 1; n <= 11; n++) {
      await browser.call('POST', '/dns/zones', { body: { zone: `large-${String(n)}.com` } })
      for (const host of ['a', 'b', 'only'])
        await browser.call('POST', `/dns/zones/large-${String(n)}.com/records`, {
          body: { type: 'A', host: `${host}-${String(n)}`, value: '198.51.100.7' },
        })
    }
    // As after many records: one query for each zone, and the last one beyond the limit of a search.
    await site.sql(`update dns_zone set last_record_id = 60000 where name like 'large-%'`)
    expect((await find('198.51.100', browser)).map(({ label }) => label)).toHaveLength(5)
    expect((await find('only-3', browser)).map(({ label }) => label)).toEqual(['only-3.large-3.com'])
    expect(await find('only-9', browser)).toEqual([])
    await site.sql(`update dns_zone set last_record_id = 4000 where name like 'large-%'`)
    expect((await find('only-9', browser)).map(({ label }) => label)).toEqual(['only-9.large-9.com'])
    expect((await find('only-3', browser)).map(({ label }) => label)).toEqual(['only-3.large-3.com'])
  })

  it.each([
    ['', /^q must have 1 to 100 characters, not 0\.$/],
    ['   ', /^q must have 1 to 100 characters, not 0\.$/],
    ['a'.repeat(101), /^q must have 1 to 100 characters, not 101\.$/],
    ['a\u0000b', /^q must not contain control characters/],
  ])('refuses %j', async (text, message) => {
    const answer = await ask(text)
    expectError(answer, 'bad_request')
    expect(answer.body['message']).toMatch(message)
  })

  it('takes a hundred characters of any script', async () => {
    expect(await find('𝔞'.repeat(100))).toEqual([])
  })
})
