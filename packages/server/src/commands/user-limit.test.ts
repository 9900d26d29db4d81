import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds, type Answer, type TestApp } from '../../test/app.js'
import { buildZip } from '../../test/built-zip.js'
import { startSite, type Site } from '../../test/site.js'
import type { Account } from '../shared/account.js'
import { limitChanges } from './limit-arguments.js'
import { deletePlan, limitUser, listPlans, setPlan } from './user-limit.js'

/** `svc user limit` and `svc plan`: limits of accounts. */

describe('the limits of a command line', () => {
  it.each([
    ['zones=50', { zones: 50 }],
    ['files=10GB', { files_bytes: 10_000_000_000 }],
    ['files=10', { files: 10 }],
    ['files_bytes=10', { files_bytes: 10 }],
    ['files-bytes=1KiB', { files_bytes: 1024 }],
    ['file=2mb', { file_bytes: 2_000_000 }],
    ['Sites=default', { sites: null }],
    ['sms_messages=0', { sms_messages: 0 }],
    ['zones=1 records=2', { zones: 1, records: 2 }],
  ])('%s', (text, changes) => {
    expect(limitChanges(text.split(' '))).toEqual(changes)
  })

  it.each([
    ['zones', 'A limit must be RESOURCE=NUMBER, such as zones=50 or files=10GB, not "zones".'],
    ['zones=', 'A limit must be RESOURCE=NUMBER'],
    ['=5', 'A limit must be RESOURCE=NUMBER'],
    ['cats=5', 'There is no limit "cats"; the limits are zones, records'],
    ['zones=5GB', 'zones is a number without a unit, not "5GB".'],
    ['zones=0', 'zones must be a whole number, 1 to 9999999, or default, not "0".'],
    ['zones=-1', 'zones must be a whole number'],
    ['sites=10001', 'sites must be a whole number, 1 to 10000, or default, not "10001".'],
    ['files=10PB', 'files must be a whole number'],
    ['zones=1 zones=2', 'zones is given twice.'],
    ['files=1kB files_bytes=1', 'files_bytes is given twice.'],
  ])('%s is refused', (text, message) => {
    expect(() => limitChanges(text.split(' '))).toThrow(message)
  })
})

describe.each(databaseKinds)('the limits of an account on %s', { timeout: 60_000 }, (kind) => {
  let site: Site
  let other: TestApp
  beforeAll(async () => {
    site = await startSite(kind)
    other = await site.another()
  })
  afterAll(async () => {
    await other.stop()
    await site.stop()
  })

  let count = 0
  let account: Account
  let token: string
  beforeEach(async () => {
    account = await site.account(`ada${String(++count)}@example.com`)
    token = await site.token(account, '*')
  })

  const limit = (...given: string[]) => limitUser(site.database, account.email, given, undefined)
  const post = (path: string, body: object, app: Pick<TestApp, 'call'> = site, by = token): Promise<Answer> =>
    app.call('POST', path, { token: by, body })
  const claim = (zone: string, app?: Pick<TestApp, 'call'>) => post('/v1/dns/zones', { zone }, app)
  const name = (n: number) => `n${String(count)}-${String(n)}`

  it('apply from the next request on in every process, replace those of the settings, and end with default', async () => {
    await limit('zones=1')
    expect((await claim(`${name(1)}.com`, other)).status).toBe(200)
    for (const app of [site, other]) {
      const refused = await claim(`${name(2)}.com`, app)
      expect([refused.status, refused.body['message']]).toEqual([
        400,
        'zone cannot be claimed: the account has reached its limit of 1 zones.',
      ])
    }
    expect(await limit('zones=default')).toMatchObject({ limits: {}, own: {}, plan: null })
    expect((await claim(`${name(2)}.com`)).status).toBe(200)
    // Below what the account has: all of it stays.
    await limit('zones=1')
    expect((await site.call('GET', '/v1/dns/zones', { token })).body['data'].zones).toHaveLength(2)
    expect((await claim(`${name(3)}.com`)).status).toBe(400)
  })

  it('are those of no other account', async () => {
    await limit('zones=1')
    const bob = await site.token(await site.account(`bob${String(count)}@example.com`), '*')
    for (const n of [1, 2])
      expect((await post('/v1/dns/zones', { zone: `b${name(n)}.com` }, site, bob)).status).toBe(200)
  })

  it('of a plan apply to all its accounts, and those of the account override them', async () => {
    const plan = `team-${kind}`
    expect(await setPlan(site.database, plan, ['zones=1', 'sites=7'])).toEqual({ zones: 1, sites: 7 })
    await limitUser(site.database, account.email, [], plan)
    expect((await claim(`${name(1)}.com`)).status).toBe(200)
    expect((await claim(`${name(2)}.com`, other)).status).toBe(400)
    await setPlan(site.database, plan, ['zones=2'])
    expect((await claim(`${name(2)}.com`, other)).status).toBe(200)
    expect((await claim(`${name(3)}.com`)).status).toBe(400)
    expect(await limit('zones=3')).toEqual({
      email: account.email,
      plan,
      limits: { zones: 3, sites: 7 },
      own: { zones: 3 },
    })
    expect((await claim(`${name(3)}.com`)).status).toBe(200)
    expect(await listPlans(site.database)).toContainEqual({ name: plan, limits: { zones: 2, sites: 7 }, accounts: 1 })
    await expect(deletePlan(site.database, plan)).rejects.toThrow(`The plan ${plan} is that of 1 account:`)
    await limitUser(site.database, account.email, [], 'none')
    await deletePlan(site.database, plan)
    await expect(limitUser(site.database, account.email, [], plan)).rejects.toThrow(`There is no plan ${plan}`)
    await expect(deletePlan(site.database, plan)).rejects.toThrow(`There is no plan ${plan}`)
  })

  it.each(['', 'Team', 'a b', '-a', 'a'.repeat(33)])('a plan cannot have the name %j', async (given) => {
    await expect(setPlan(site.database, given, [])).rejects.toThrow(/^NAME must have at most 32/)
  })

  it('none is no name of a plan', async () => {
    await expect(setPlan(site.database, 'none', [])).rejects.toThrow('NAME must not be none')
  })

  it('are shown where the account sees its storage', async () => {
    await limit('files=5MB', 'file=1MB')
    const { data } = (await site.call('GET', '/v1/files/usage', { token })).body
    expect(data).toMatchObject({ bytes_limit: 5_000_000, file_bytes_limit: 1_000_000 })
  })

  const content = Buffer.from('a').toString('base64')
  const archive = (text: string) => buildZip([{ name: 'index.html', data: text }]).toString('base64')

  /** Requests of which each adds one, by resource. */
  const adding: readonly (readonly [string, (n: number) => readonly [string, object]])[] = [
    ['zones', (n) => ['/v1/dns/zones', { zone: `${name(n)}.com` }]],
    ['files', (n) => ['/v1/files/upload', { name: `${name(n)}.txt`, content }]],
    ['uploads', () => ['/v1/files/upload-chunk', { index: 0, content }]],
    ['deployments', (n) => ['/v1/deployments/create', { kind: 'form', slug: name(n) }]],
    ['credentials', (n) => ['/v1/cred', { platform: name(n), secret: 's' }]],
    ['domains', (n) => ['/v1/domains/add', { domains: [`${name(n)}.com`] }]],
    [
      'packages',
      (n) => ['/v1/packages/publish', { slug: name(n), version: '1.0.0', artifacts: [{ name: 'a', content }] }],
    ],
    [
      'artifacts',
      (n) => ['/v1/packages/publish', { slug: name(n), version: '1.0.0', artifacts: [{ name: 'a', content }] }],
    ],
    [
      'package_versions',
      (n) => [
        '/v1/packages/publish',
        { slug: name(0), version: `1.0.${String(n)}`, artifacts: [{ name: 'a', content }] },
      ],
    ],
    ['sites', (n) => ['/v1/sites/deploy', { name: name(n), archive: archive(name(n)) }]],
  ]

  it.each(adding)('of %s are exact with 50 callers at once, of two servers', async (resource, request) => {
    await limit(`${resource}=3`)
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => {
        const [path, body] = request(n)
        return post(path, body, n % 2 === 0 ? site : other)
      }),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(3)
    // Too many deploys of one account at once are refused as well.
    const refusals = answers.filter(({ status }) => status !== 200)
    expect(refusals.filter(({ status }) => status !== 400 && (resource !== 'sites' || status !== 502))).toEqual([])
    const [path, body] = request(50)
    expect((await post(path, body)).status).toBe(400)
    await limit(`${resource}=4`)
    expect((await post(path, body)).status).toBe(200)
  })

  it('of the records of a zone are exact with 50 callers at once, of two servers', async () => {
    const zone = `${name(0)}.com`
    await claim(zone)
    await limit('records=3')
    const add = (n: number, app: Pick<TestApp, 'call'>) =>
      post(`/v1/dns/zones/${zone}/records`, { type: 'A', host: `h${String(n)}`, value: '192.0.2.1', ttl: 300 }, app)
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => add(n, n % 2 === 0 ? site : other)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(answers.filter(({ status }) => status !== 200 && status !== 400)).toEqual([])
    await limit('records=4')
    expect((await add(50, site)).status).toBe(200)
    const changes = [{ create: { type: 'A', host: 'batch', value: '192.0.2.1', ttl: 300 } }]
    expect((await post(`/v1/dns/zones/${zone}/records/batch`, { changes })).status).toBe(400)
    const text = Array.from({ length: 9 }, (_, n) => `i${String(n)} 300 IN A 192.0.2.1`).join('\n')
    const refused = await post(`/v1/dns/zones/${zone}/zone-file/import`, { text })
    expect([refused.status, refused.body['message']]).toEqual([400, expect.stringContaining('4 records')])
  })

  it('of bytes are exact with 50 callers at once, of two servers', async () => {
    await limit('files=3kB')
    const body = { name: 'x', content: Buffer.alloc(1000).toString('base64') }
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => post('/v1/files/upload', body, n % 2 === 0 ? site : other)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    const { data } = (await site.call('GET', '/v1/files/usage', { token })).body
    expect(data).toMatchObject({ bytes: 3000, bytes_limit: 3000 })
  })
})
