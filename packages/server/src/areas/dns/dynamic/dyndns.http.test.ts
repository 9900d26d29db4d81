import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds, type Envelope } from '../../../../test/app.js'
import { basic, dyndns, startDyndnsSite } from '../../../../test/dyndns-client.js'
import { send } from '../../../../test/raw-http.js'
import type { Site } from '../../../../test/site.js'
import { ownerOn, type Owner, type ZoneClient } from '../../../../test/zone-owner.js'
import { tokenStore } from '../../account/tokens/store.js'
import { unlimited } from '../../account/tokens/limits.js'
import type { Rules } from '../../../shared/rules.js'
import { updatesMax } from './update-limit.js'

/** Dynamic DNS with the protocol dyndns2 at /nic/update. */

describe.each(databaseKinds)('dyndns2 on %s', (kind) => {
  let site: Site
  let owner: Owner
  let zone: ZoneClient
  beforeAll(async () => {
    site = await startDyndnsSite(kind)
  })
  afterAll(() => site.stop())
  beforeEach(async () => {
    owner = await ownerOn(site)
    zone = await owner.claim()
  })

  const update = async (query: string, token = owner.token, call = {}) =>
    (await dyndns(site, token, query, call)).text.split('\n').slice(0, -1)
  const home = (more = '') => update(`hostname=home.${zone.zone}${more}`)
  const withRules = async (rules: Rules, scopes = ['dns:write'] as const) =>
    (
      await tokenStore(site.app.database).create(owner.account, `ruled ${String(Math.random())}`, scopes, {
        ...unlimited,
        rules,
      })
    ).token

  it('creates a missing record, changes it, and leaves it if it is the same', async () => {
    const serial = await zone.serial()
    expect(await home('&myip=192.0.2.1')).toEqual(['good 192.0.2.1'])
    expect(await zone.served('home', 'A')).toEqual(['60 192.0.2.1'])
    for (let i = 0; i < 5; i++) expect(await home('&myip=192.0.2.1')).toEqual(['nochg 192.0.2.1'])
    expect(await zone.serial()).toBe(serial + 1)
    expect(await home('&myip=192.0.2.2')).toEqual(['good 192.0.2.2'])
    expect(await zone.served('home', 'A')).toEqual(['60 192.0.2.2'])
    expect(await zone.serial()).toBe(serial + 2)
    expect((await zone.list()).body['data'].records).toHaveLength(1)
  })

  it('sets both families in one step, and leaves the other one alone', async () => {
    const serial = await zone.serial()
    expect(await home('&myip=192.0.2.1,2001:db8::1')).toEqual(['good 192.0.2.1,2001:db8::1'])
    expect(await zone.serial()).toBe(serial + 1)
    expect(await home('&myipv6=2001:db8::2')).toEqual(['good 2001:db8::2'])
    expect(await home('&myip=192.0.2.1&myipv6=2001:db8::2')).toEqual(['nochg 192.0.2.1,2001:db8::2'])
    expect([await zone.served('home', 'A'), await zone.served('home', 'AAAA')]).toEqual([
      ['60 192.0.2.1'],
      ['60 2001:db8::2'],
    ])
  })

  it('keeps the ttl, the id and other types of a host, and replaces several addresses by one', async () => {
    const first = await zone.add({ type: 'A', host: 'home', value: '192.0.2.1', ttl: 900 })
    await zone.add({ type: 'A', host: 'home', value: '192.0.2.2', ttl: 900 })
    await zone.add({ type: 'MX', host: 'home', value: 'mail.example.net', priority: 5, ttl: 300 })
    expect(await home('&myip=192.0.2.1')).toEqual(['good 192.0.2.1'])
    expect(await zone.served('home', 'A')).toEqual(['900 192.0.2.1'])
    expect(await zone.served('home', 'MX')).toEqual(['300 5 mail.example.net'])
    expect((await zone.get(first['id'])).status).toBe(200)
  })

  it('answers a line for each host in its order, and changes the rest if one is refused', async () => {
    const other = await owner.claim()
    await zone.add({ type: 'CNAME', host: 'alias', value: 'target.example.net' })
    await zone.add({ type: 'A', host: 'same', value: '192.0.2.1' })
    const names = [
      `home.${zone.zone}`,
      `alias.${zone.zone}`,
      other.zone,
      'notmine.example.net',
      'localhost',
      `same.${zone.zone}`,
      `HOME.${zone.zone}.`,
    ]
    expect(await update(`hostname=${names.join(',')}&myip=192.0.2.1`)).toEqual([
      'good 192.0.2.1',
      'nohost',
      'good 192.0.2.1',
      'nohost',
      'notfqdn',
      'nochg 192.0.2.1',
      'good 192.0.2.1',
    ])
    expect(await zone.served('home', 'A')).toEqual(['60 192.0.2.1'])
    expect(await other.served('@', 'A')).toEqual(['60 192.0.2.1'])
  })

  it("takes the caller's address as SVC_TRUST_PROXY tells it, in its family", async () => {
    expect(await update(`hostname=home.${zone.zone}`, owner.token, { from: '198.51.100.7' })).toEqual([
      'good 198.51.100.7',
    ])
    expect(await update(`hostname=home.${zone.zone}&myip=`, owner.token, { from: '2001:db8::7' })).toEqual([
      'good 2001:db8::7',
    ])
    expect(await zone.served('home', 'A')).toEqual(['60 198.51.100.7'])
    // The address of the proxy does not stand for one that it does not tell.
    expect(await update(`hostname=home.${zone.zone}`, owner.token, { from: 'unknown' })).toEqual(['badip'])
  })

  it.each<[string, string]>([
    ['', 'notfqdn'],
    ['hostname=', 'notfqdn'],
    ['hostname=localhost&myip=192.0.2.1', 'notfqdn'],
    ['hostname=192.0.2.1&myip=192.0.2.1', 'notfqdn'],
    ['hostname=%00.example&myip=192.0.2.1', 'notfqdn'],
    ['hostname=home.example.net&myip=192.0.2.1', 'nohost'],
    ['hostname=example&hostname=net&myip=192.0.2.999', 'badip\nbadip'],
    ['hostname=home.example.net&myip=0x7f.1', 'badip'],
    [`hostname=${Array.from({ length: 21 }, (_, i) => `h${String(i)}.example.net`).join(',')}`, 'numhost'],
    ['hostname=%e0%a4&myip=192.0.2.1', 'notfqdn'],
  ])('the answer to the malformed query %s is %s', async (query, expected) => {
    const answer = await dyndns(site, owner.token, query)
    expect([answer.status, answer.text]).toEqual([200, `${expected}\n`])
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  it('401 badauth with Basic for every wrong credential, with one answer for all', async () => {
    const read = await site.token(owner.account, 'dns:read')
    const revoked = await tokenStore(site.app.database).create(owner.account, 'revoked', ['dns:write'])
    await tokenStore(site.app.database).revoke(owner.account, revoked.id)
    const query = `/nic/update?hostname=home.${zone.zone}&myip=192.0.2.1`
    for (const authorization of [
      undefined,
      basic(`svc_${'0'.repeat(32)}`),
      basic('password'),
      basic(read),
      basic(revoked.token),
      `Bearer ${owner.token}`,
    ]) {
      const answer = await send(site.url, 'GET', query, { headers: authorization ? { authorization } : {} })
      expect([answer.status, answer.text]).toEqual([401, 'badauth\n'])
      expect(answer.headers['www-authenticate']).toMatch(/^Basic /)
    }
    const inQuery = await send(site.url, 'GET', `${query}&password=${owner.token}`)
    expect(inQuery.status).toBe(401)
    expect(await zone.served('home', 'A')).toEqual([])
  })

  it('refuses what a page of another site lets a browser send', async () => {
    for (const from of ['cross-site', 'same-site']) {
      const headers = { authorization: basic(owner.token), 'sec-fetch-site': from }
      const answer = await send(site.url, 'GET', `/nic/update?hostname=home.${zone.zone}`, { headers })
      expect([answer.status, answer.text]).toEqual([403, 'badauth\n'])
    }
  })

  it('405 for methods that would change something for a link checker or a form', async () => {
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE']) {
      const headers = { authorization: basic(owner.token) }
      const answer = await send(site.url, method, `/nic/update?hostname=home.${zone.zone}&myip=192.0.2.1`, { headers })
      expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, 'GET, OPTIONS'])
    }
    expect(await zone.served('home', 'A')).toEqual([])
  })

  it('is not on the content host and the hosts of sites', async () => {
    for (const host of ['content.localhost', 'blog.localhost']) {
      const headers = { authorization: basic(owner.token), host }
      const answer = await send(site.url, 'GET', `/nic/update?hostname=home.${zone.zone}`, { headers })
      expect(answer.status).toBe(404)
    }
  })

  it('a token changes what its rules name, and learns nothing of the rest', async () => {
    const other = await owner.claim()
    await zone.add({ type: 'A', host: 'secret', value: '192.0.2.1' })
    const rule = { kind: 'zone', name: zone.zone, hosts: ['home'], types: ['A'], access: 'write' } as const
    const token = await withRules([rule])
    expect(await update(`hostname=home.${zone.zone}&myip=192.0.2.9`, token)).toEqual(['good 192.0.2.9'])
    for (const query of [
      `hostname=secret.${zone.zone}&myip=192.0.2.1`,
      `hostname=home.${zone.zone}&myip=2001:db8::1`,
      `hostname=${zone.zone}&myip=192.0.2.1`,
      `hostname=${other.zone}&myip=192.0.2.1`,
    ])
      expect(await update(query, token)).toEqual(['nohost'])
    const reading = await withRules([{ ...rule, access: 'read' }])
    expect(await update(`hostname=home.${zone.zone}&myip=192.0.2.9`, reading)).toEqual(['nohost'])
  })

  it('isolation: no token of an account changes a zone of another one', async () => {
    const owners = await Promise.all([ownerOn(site), ownerOn(site), ownerOn(site)])
    const zones = await Promise.all(owners.map((each) => each.claim()))
    for (const zoneOfOwner of zones) await zoneOfOwner.add({ type: 'A', host: 'home', value: '192.0.2.1' })
    const serials = await Promise.all(zones.map((each) => each.serial()))
    for (const [at, each] of owners.entries())
      for (const [of, { zone: name }] of zones.entries()) {
        const expected = at === of ? 'nochg 192.0.2.1' : 'nohost'
        // Twice: also from memory.
        for (let i = 0; i < 2; i++)
          expect(await update(`hostname=home.${name}&myip=192.0.2.1`, each.token)).toEqual([expected])
        if (at !== of) expect(await update(`hostname=home.${name}&myip=192.0.2.66`, each.token)).toEqual(['nohost'])
      }
    expect(await Promise.all(zones.map((each) => each.serial()))).toEqual(serials)
  })

  it('notices at once what another process or the API has changed', async () => {
    const other = await site.another()
    const at = async (server: Pick<Site, 'url'>, address: string) =>
      (await dyndns(server, owner.token, `hostname=home.${zone.zone}&myip=${address}`)).text.trim()
    const servers = [site, other]
    for (let round = 0; round < 4; round++) {
      for (const server of servers) await at(server, '192.0.2.1')
      expect(await at(site, '192.0.2.1')).toBe('nochg 192.0.2.1')
      expect(await at(other, '192.0.2.2')).toBe('good 192.0.2.2')
      expect(await at(site, '192.0.2.1')).toBe('good 192.0.2.1')
      const { records } = (await zone.list()).body['data']
      await other.call('DELETE', `${zone.path}/${String(records[0].id)}`, { token: owner.token })
      expect(await at(site, '192.0.2.1')).toBe('good 192.0.2.1')
    }
    await site.sql(`update dns_claim set status = 'pending' where zone = '${zone.zone}'`)
    for (const server of servers) expect(await at(server, '192.0.2.1')).toBe('nohost')
    await other.stop()
  })

  it('the history names the token, the request and the address of the client', async () => {
    expect(await update(`hostname=home.${zone.zone}&myip=192.0.2.1`, owner.token, { from: '198.51.100.7' })).toEqual([
      'good 192.0.2.1',
    ])
    const history = await owner.call('GET', `/v1/dns/zones/${zone.zone}/history`)
    const [change] = history.body['data'].changes as Envelope[]
    expect(change).toMatchObject({ actor: { kind: 'token', id: expect.any(Number) } })
    expect(JSON.stringify(change)).toContain('req_')
  })

  it('abuse after too many updates that change something; nochg is not counted', async () => {
    const answers: string[] = []
    for (let i = 0; i < updatesMax + 2; i++) {
      answers.push(...(await home(`&myip=192.0.2.${String(i)}`)))
      if (i < 3) expect(await home(`&myip=192.0.2.${String(i)}`)).toEqual([`nochg 192.0.2.${String(i)}`])
    }
    expect(answers.filter((line) => line.startsWith('good'))).toHaveLength(updatesMax)
    expect(answers.slice(-2)).toEqual(['abuse', 'abuse'])
    expect(await home(`&myip=192.0.2.${String(updatesMax - 1)}`)).toEqual([`nochg 192.0.2.${String(updatesMax - 1)}`])
    expect(await update(`hostname=home.${zone.zone}&myip=192.0.2.200`, await site.token(owner.account, '*'))).toEqual([
      'good 192.0.2.200',
    ])
  })

  it('neither the log nor the database has the credentials', async () => {
    await home('&myip=192.0.2.1')
    const kept = site.log.join('\n') + (await site.everythingKept())
    expect(kept).toContain('dns.dyndns')
    for (const secret of [owner.token.slice(4), basic(owner.token).slice('Basic '.length)])
      expect(kept).not.toContain(secret)
  })
})
