import { createPrivateKey, X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { syncWantedCertificates } from '../../app/wanted-certificates-store.js'
import { closedServer, databaseKinds } from '../../../test/app.js'
import { issueCertificate } from '../../../test/certificates.js'
import { problem, startDomains, type Domains } from '../../../test/domain-site.js'
import { dataOf, type Person } from '../../../test/zone-site.js'

/** Certificates of accounts, without a CA: the tests store what it would issue. */

const acme = {
  directoryUrl: `https://${closedServer}/dir`,
  email: undefined,
  profile: undefined,
  externalAccount: undefined,
}
const passphrase = 'correct horse battery'

describe.each(databaseKinds)('certificates of accounts on %s', (kind) => {
  let domains: Domains
  let zone: string
  let zones = 0
  beforeAll(async () => {
    domains = await startDomains(kind, {
      acme,
      tlsCertificatesMax: 4,
      certificateOrders: { accountOrders: 50, domainOrders: 2 },
    })
    for (const name of ['docs', 'blog']) await domains.deploy('ada', name)
  })
  afterAll(() => domains.zones.stop())
  beforeEach(async () => {
    zone = `z${++zones}.com`
    dataOf(await domains.zones.claim('ada', zone))
    await domains.zones.site.sql('delete from certificate')
    await domains.zones.site.sql('delete from tls_zone')
    await domains.zones.site.sql('delete from site_domain')
    // The server may have compared the rows of the test before, and add what that wanted.
    await sync()
  })

  const call = (person: Person, path: string, body: object) =>
    domains.zones.site.call('POST', `/v1/tls/certificates${path}`, { token: domains.zones.tokens[person], body })
  const order = (person: Person = 'ada', name = zone) => call(person, '', { zone: name })
  const key = (person: Person = 'ada', name = zone) => call(person, '/key', { zone: name, passphrase })
  const list = async (person: Person = 'ada', token = domains.zones.tokens[person]) =>
    dataOf(await domains.zones.site.call('GET', '/v1/tls/certificates', { token }))['certificates'] as object[]
  /** Once the order of the server has failed, which no resolver lets through. */
  const issue = async (person: Person, ...names: string[]) => {
    const { id } = domains.zones.accounts[person]
    await vi.waitFor(async () => expect(await failed(id)).toHaveLength(1), { timeout: 20_000, interval: 20 })
    const issued = await issueCertificate(domains.zones.site.app.database, { id }, names)
    // An order that had begun before must not end with its error.
    await domains.zones.site.sql(`update certificate set leased_until = 0, error = null, failures = 0
      where account_id = ${String(id)} and not_after is not null`)
    return issued
  }
  const failed = (id: number) =>
    domains.zones.site.sql(`select id from certificate where account_id = ${String(id)} and zone = '${zone}'
      and site is null and failures > 0`)
  const sync = () => syncWantedCertificates(domains.zones.site.app.database)
  const rows = (columns: string) =>
    domains.zones.site.sql(`select ${columns} from certificate where account_id is not null order by names`)
  const tokenWith = async (...rules: object[]) => {
    const body = { name: `rules of ${zone} ${String(rules.length)}`, scopes: ['dns:write'], rules }
    return (await domains.browsers.ada.call('POST', '/keys', { body })).body['data'].token as string
  }
  const takeOver = async () => {
    const claim = dataOf(await domains.zones.claim('bob', zone))
    domains.zones.publish(zone, [(claim['verification'] as { value: string }).value])
    expect(dataOf(await domains.zones.verify('bob', zone))['status']).toBe('verified')
  }

  it('an order is for a zone and its wildcard, and asking again answers the same', async () => {
    const first = dataOf(await order('ada', `${zone.toUpperCase()}.`))
    expect(first).toMatchObject({ names: [`*.${zone}`, zone], zone, site: null, issuer: null, not_after: null })
    expect(first['status']).toMatch(/^(waiting|ordering|failed)$/)
    expect(dataOf(await order())).toMatchObject({ created_at: first['created_at'] })
    expect(await list()).toHaveLength(1)
  })

  it('shows an issued certificate with its issuer and times, in the console too', async () => {
    await order()
    await issue('ada', zone, `*.${zone}`)
    const expected = { zone, status: 'issued', issuer: 'Test Authority', error: null }
    expect(await list()).toMatchObject([{ ...expected, not_after: expect.stringMatching(/Z$/) }])
    expect(dataOf(await domains.browsers.ada.call('GET', '/tls/certificates'))).toMatchObject({
      certificates: [expected],
      unavailable: null,
    })
  })

  it('a downloaded key opens with the passphrase only, fits the certificate, and is in no log', async () => {
    await order()
    expect(problem(await key())).toEqual([404, 'not_found', expect.stringContaining(`certificate for ${zone} yet`)])
    const stored = await issue('ada', zone, `*.${zone}`)
    const answer = await key()
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const { certificate, private_key: encrypted } = dataOf(answer) as Record<string, string>
    expect(encrypted).toMatch(/^-----BEGIN ENCRYPTED PRIVATE KEY-----\n/)
    const opened = createPrivateKey({ key: encrypted!, passphrase })
    expect(opened.equals(createPrivateKey(stored))).toBe(true)
    expect(new X509Certificate(certificate!).checkPrivateKey(opened)).toBe(true)
    expect(() => createPrivateKey({ key: encrypted!, passphrase: `${passphrase} ` })).toThrow()
    expect(certificate!.match(/BEGIN CERTIFICATE/g)).toHaveLength(2)
    const logged = domains.zones.site.log.join('')
    expect(logged).not.toContain(passphrase)
    expect(logged).not.toContain('PRIVATE KEY')
  })

  it.each([
    ['too-short', 'must have at least 12 characters'],
    ['x'.repeat(201), 'must have at most 200 characters'],
    ['a line\nand another', 'must not contain'],
  ])('a passphrase that is refused is not shown: %j', async (refused, reason) => {
    const answer = await call('ada', '/key', { zone, passphrase: refused })
    expect(problem(answer)).toEqual([400, 'bad_request', expect.stringContaining(`passphrase ${reason}`)])
    expect(JSON.stringify(answer.body)).not.toContain(refused.slice(0, 9))
  })

  it('after its deletion, a certificate is not listed, and its key is not downloaded', async () => {
    await order()
    await issue('ada', zone, `*.${zone}`)
    expect(dataOf(await call('ada', '/delete', { zone }))).toEqual({ zone, deleted: true })
    expect(await list()).toEqual([])
    expect(problem(await key())).toEqual([404, 'not_found', expect.anything()])
    expect(problem(await call('ada', '/delete', { zone }))).toEqual([404, 'not_found', expect.anything()])
    await sync()
    expect(await rows('wanted')).toEqual([{ wanted: 0 }])
    await domains.zones.site.sql('update certificate set not_after = 1')
    await sync()
    expect(await rows('id')).toEqual([])
  })

  it('403 for a zone of another account, and for one that does not exist', async () => {
    await order()
    await issue('ada', zone, `*.${zone}`)
    for (const name of [zone, 'no-such-zone.com', '*'])
      for (const path of ['', '/renew', '/delete', '/key']) {
        const answer = await call('bob', path, { zone: name, ...(path === '/key' && { passphrase }) })
        expect(problem(answer)).toEqual([403, 'forbidden_zone', expect.anything()])
      }
    expect(await list('bob')).toEqual([])
  })

  it('a zone that goes to another account: neither gets the key of the other, and the old one is removed', async () => {
    await order()
    const adas = createPrivateKey(await issue('ada', zone, `*.${zone}`))
    await takeOver()
    expect(problem(await key())).toEqual([403, 'forbidden_zone', expect.anything()])
    expect(await list()).toMatchObject([{ zone, status: 'waiting', error: expect.stringContaining('is not verified') }])
    expect(problem(await key('bob'))).toEqual([404, 'not_found', expect.anything()])
    dataOf(await order('bob'))
    expect(problem(await key('bob'))).toEqual([404, 'not_found', expect.anything()])
    await issue('bob', zone, `*.${zone}`)
    const bobs = createPrivateKey({ key: dataOf(await key('bob'))['private_key'] as string, passphrase })
    expect(bobs.equals(adas)).toBe(false)
    expect(problem(await key())).toEqual([403, 'forbidden_zone', expect.anything()])
    await sync()
    expect(await rows('account_id')).toEqual([{ account_id: domains.zones.accounts.bob.id }])
    dataOf(await call('ada', '/delete', { zone }))
    expect(await list('bob')).toMatchObject([{ status: 'issued' }])
  })

  it('own domains have a certificate, except those that a wildcard of the account covers', async () => {
    dataOf(await domains.add('ada', 'docs', `www.${zone}`))
    dataOf(await domains.add('ada', 'blog', `a.b.${zone}`))
    await sync()
    expect(await list()).toMatchObject([
      { names: [`a.b.${zone}`], zone: null, site: 'blog' },
      { names: [`www.${zone}`], zone: null, site: 'docs' },
    ])
    await order()
    await issue('ada', zone, `*.${zone}`)
    await sync()
    expect((await list()).map((one) => (one as { names: string[] }).names)).toEqual([
      [`a.b.${zone}`],
      [`*.${zone}`, zone],
    ])
    // A wildcard that cannot be renewed does not take the certificate of the host away.
    await domains.zones.site.sql(`update certificate set failures = 3, not_after = 1 where site is null`)
    await sync()
    expect(await list()).toHaveLength(3)
    dataOf(await domains.remove('ada', `www.${zone}`))
    await sync()
    expect(await list()).toHaveLength(2)
  })

  it('the overview names those whose last order failed, soonest expiry first', async () => {
    const other = `a-${zone}`
    dataOf(await domains.zones.claim('ada', other))
    await order()
    await order('ada', other)
    await issue('ada', other, `*.${other}`)
    const part = async (person: 'ada' | 'bob') =>
      (dataOf(await domains.browsers[person].call('GET', '/overview'))['parts'] as Record<string, unknown>)['tls']
    // The server has begun to order them: its attempts end with errors, and are not repeated.
    const never = Date.now() + 86_400_000
    const cleared = async () => {
      await domains.zones.site.sql(`update certificate set error = null, next_at = ${String(never)}`)
      return part('ada')
    }
    await expect.poll(cleared).toEqual({ failing: 0, soonest: [] })
    await domains.zones.site.sql(`update certificate set error = 'no'`)
    expect(await part('ada')).toEqual({
      failing: 2,
      soonest: [
        { name: zone, not_after: null },
        { name: other, not_after: expect.stringMatching(/Z$/) },
      ],
    })
    expect(await part('bob')).toEqual({ failing: 0, soonest: [] })
  })

  it('a token with rules sees only what its zones and sites allow', async () => {
    const other = `other-${zone}`
    dataOf(await domains.zones.claim('ada', other))
    await order()
    await order('ada', other)
    dataOf(await domains.add('ada', 'docs', `a.b.${zone}`))
    await sync()
    const [ofZone, ofSite] = [
      { kind: 'zone', name: zone, access: 'write' },
      { kind: 'site', name: 'blog', access: 'read' },
    ]
    expect(await list('ada', await tokenWith(ofZone))).toMatchObject([{ site: 'docs' }, { zone }])
    const token = await tokenWith(ofZone, ofSite)
    expect(await list('ada', token)).toMatchObject([{ zone }])
    const post = async (path: string, body: object) =>
      (await domains.zones.site.call('POST', `/v1/tls/certificates${path}`, { token, body })).status
    expect(await post('', { zone })).toBe(200)
    for (const path of ['', '/renew', '/delete']) expect(await post(path, { zone: other })).toBe(403)
    expect(await post('/key', { zone: other, passphrase })).toBe(403)
  })

  it('refuses more certificates than an account may have, also at once', async () => {
    const names = Array.from({ length: 8 }, (_, n) => `n${n}-${zone}`)
    for (const name of names) dataOf(await domains.zones.claim('ada', name))
    const answers = await Promise.all(names.map((name) => order('ada', name)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(4)
    expect(problem(answers.find(({ status }) => status !== 200)!)).toEqual([
      400,
      'bad_request',
      'The account has 4 certificates, and the maximum is 4: delete one first.',
    ])
  })

  it('an order again of a valid certificate counts in the limits of orders', async () => {
    await order()
    await issue('ada', zone, `*.${zone}`)
    await domains.zones.site.sql('delete from certificate_order')
    // One that is due is not counted again.
    const renewed = async () => {
      await domains.zones.site.sql(`update certificate set leased_until = 0, next_at = 9000000000000`)
      return problem(await call('ada', '/renew', { zone }))
    }
    await expect
      .poll(renewed)
      .toEqual([
        400,
        'bad_request',
        expect.stringMatching(/^\S+ has got 2 new certificates in seven days, .* Repeat it after \d{4}-\S+Z\.$/),
      ])
    expect(await domains.zones.site.sql('select domain from certificate_order')).toHaveLength(2)
    await domains.zones.site.sql('delete from certificate_order')
  })

  it('no certificate of a stopped account is renewed', async () => {
    await order()
    await issue('ada', zone, `*.${zone}`)
    await domains.zones.site.sql(`update account set state = 'stopped' where email = 'ada@example.com'`)
    await sync()
    expect(await rows('wanted')).toEqual([{ wanted: 0 }])
    await domains.zones.site.sql(`update account set state = 'active' where email = 'ada@example.com'`)
    await sync()
    expect(await rows('wanted')).toEqual([{ wanted: 1 }])
  })
})

it('a server without ACME refuses orders, and says why', async () => {
  const { zones } = await startDomains('sqlite')
  dataOf(await zones.claim('ada', 'ada.com'))
  const answer = await zones.site.call('POST', '/v1/tls/certificates', {
    token: zones.tokens.ada,
    body: { zone: 'ada.com' },
  })
  const problemText = 'This server orders no certificates: its operator has not set SVC_ACME.'
  expect(problem(answer)).toEqual([400, 'bad_request', problemText])
  expect(await zones.site.sql('select * from tls_zone')).toEqual([])
  expect(dataOf(await zones.site.call('GET', '/v1/tls/certificates', { token: zones.tokens.ada }))).toEqual({
    certificates: [],
    unavailable: problemText,
  })
  await zones.stop()
})
