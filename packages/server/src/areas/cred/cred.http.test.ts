import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds, type Answer, type TestApp } from '../../../test/app.js'
import { startSite, type Browser, type Site } from '../../../test/site.js'

describe.each(databaseKinds)('credentials on %s', (kind) => {
  let site: Site
  let other: TestApp
  let token: string
  let browser: Browser
  let accounts = 0
  beforeAll(async () => {
    site = await startSite(kind, { credentialsMax: 4 })
    other = await site.another()
  })
  afterAll(async () => {
    await other.stop()
    await site.stop()
  })
  beforeEach(async () => {
    const email = `p${++accounts}@example.com`
    token = await site.token(await site.account(email), 'cred:write')
    browser = await site.browser(email)
  })

  const store = (body: object, app: TestApp = site): Promise<Answer> => app.call('POST', '/v1/cred', { token, body })
  const list = async (query = ''): Promise<Record<string, unknown>[]> => {
    const answer = await site.call('GET', `/v1/cred${query}`, { token })
    expect(answer.status, answer.text).toBe(200)
    return answer.body['data'].credentials
  }
  const shown = (credentials: Record<string, unknown>[]) =>
    credentials.map(({ platform, label, username, secret }) => [platform, label, username, secret].join(' '))

  it('stores credentials and lists them with their secrets, sorted by platform and label', async () => {
    await store({ platform: 'b.example', secret: 's1' })
    await store({ platform: 'a.example', label: 'work', username: 'ada', secret: 's2 é 漢 🔑\n' })
    await store({ platform: 'a.example', label: 'Work', secret: 's3' })
    expect(shown(await list())).toEqual(['a.example Work  s3', 'a.example work ada s2 é 漢 🔑\n', 'b.example   s1'])
    expect(shown(await list('?platform=a.example'))).toEqual(['a.example Work  s3', 'a.example work ada s2 é 漢 🔑\n'])
    expect(await list('?platform=A.example')).toEqual([])
  })

  it('tells caches not to store the secrets', async () => {
    const stored = await store({ platform: 'a.example', secret: 's' })
    expect(stored.headers.get('cache-control')).toBe('no-store')
    expect((await site.call('GET', '/v1/cred', { token })).headers.get('cache-control')).toBe('no-store')
  })

  it('the same platform and label replace the credential: id and created_at stay', async () => {
    const first = (await store({ platform: 'a.example', label: 'x', username: 'ada', secret: 'before' })).body['data']
    await site.sql(`update credential set created_at = 5, updated_at = 5 where id = ${first.id}`)
    const second = (await store({ platform: 'a.example', label: 'x', secret: 'after' })).body['data']
    expect(second).toMatchObject({
      id: first.id,
      username: null,
      secret: 'after',
      created_at: '1970-01-01T00:00:00.005Z',
    })
    expect(second.updated_at).not.toBe(second.created_at)
    expect(await list()).toEqual([second])
  })

  it('parallel writes through two processes leave one row for a name, and keep the limit', async () => {
    const same = Array.from({ length: 8 }, (_, i) => store({ platform: 'a', secret: `s${i}` }, i % 2 ? site : other))
    const names = Array.from({ length: 8 }, (_, i) => store({ platform: `p${i}`, secret: 's' }, i % 2 ? site : other))
    const answers = await Promise.all([...same, ...names])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 400]))
    expect(answers.slice(0, 8).map(({ status }) => status)).toContain(200)
    const kept = await list()
    expect(kept).toHaveLength(4)
    expect(new Set(kept.map(({ platform }) => platform)).size).toBe(4)
    const refused = answers.find(({ status }) => status !== 200)
    expect(refused?.body['message']).toBe('The account has 4 credentials, which is the maximum: delete one first.')
  })

  it('a full account can still replace a credential', async () => {
    for (const platform of ['a', 'b', 'c', 'd']) await store({ platform, secret: 's' })
    expect((await store({ platform: 'e', secret: 's' })).status).toBe(400)
    expect((await store({ platform: 'd', secret: 't' })).status).toBe(200)
  })

  const update = (body: object, app: TestApp = site): Promise<Answer> =>
    app.call('POST', '/v1/cred/update', { token, body })

  it('changes only the given fields; a new name keeps the secret', async () => {
    const { id } = (await store({ platform: 'a', label: 'x', username: 'ada', secret: 's' })).body['data']
    const renamed = await update({ id, platform: 'b', label: '' })
    expect(renamed.body['data']).toMatchObject({ id, platform: 'b', label: '', username: 'ada', secret: 's' })
    expect((await update({ id, username: null })).body['data']).toMatchObject({ username: null, secret: 's' })
    expect((await update({ id, secret: 't' })).body['data']).toMatchObject({ platform: 'b', secret: 't' })
    expect(shown(await list())).toEqual(['b   t'])
  })

  it('refuses the name of another credential, and names that credential', async () => {
    const first = (await store({ platform: 'a', secret: 's' })).body['data']
    const second = (await store({ platform: 'a', label: 'x', secret: 't' })).body['data']
    const refused = await update({ id: second.id, label: '' })
    expect([refused.status, refused.body['field']]).toEqual([400, 'label'])
    expect(refused.body['message']).toContain(`with the id ${first.id}, has this platform and label`)
    expect(shown(await list())).toEqual(['a   s', 'a x  t'])
  })

  it('changes no credential of another account', async () => {
    const { id } = (await store({ platform: 'a', secret: 's' })).body['data']
    const stranger = await site.token(await site.account(`updater${accounts}@example.com`), 'cred:write')
    const body = { id, secret: 'stolen' }
    expect((await site.call('POST', '/v1/cred/update', { token: stranger, body })).body['error']).toBe('forbidden')
    expect(shown(await list())).toEqual(['a   s'])
    expect((await update({ id: 987_654_321, secret: 's' })).body['error']).toBe('not_found')
  })

  it('a damaged secret must be given again', async () => {
    const { id } = (await store({ platform: 'a', secret: 's' })).body['data']
    await site.sql(`update credential set sealed = substr(sealed, 2) where id = ${id}`)
    expect((await update({ id, label: 'x' })).body['message']).toBe(
      'secret is required, because the stored one is damaged.',
    )
    expect((await update({ id, label: 'x', secret: 't' })).body['data']).toMatchObject({ label: 'x', secret: 't' })
  })

  it('parallel updates through two processes leave a secret that decrypts', async () => {
    const { id } = (await store({ platform: 'a', secret: 's' })).body['data']
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        update(i % 3 ? { id, label: `l${i}` } : { id, secret: `s${i}` }, i % 2 ? site : other),
      ),
    )
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.length).toBeLessThan(answers.length)
    for (const { body } of refused) expect(body['message']).toMatch(/^Other requests change this credential/)
    expect((await list()).map(({ secret }) => secret)).toEqual([expect.stringMatching(/^s\d*$/)])
  })

  it('deletes a credential; the next list is without it', async () => {
    const { id } = (await store({ platform: 'a', secret: 's' })).body['data']
    const removed = await site.call('POST', '/v1/cred/delete', { token, body: { id } })
    expect(removed.body['data']).toEqual({ id, deleted: true })
    expect(await list()).toEqual([])
    expect((await browser.call('POST', '/cred/delete', { body: { id } })).body['message']).toContain(`credential ${id}`)
  })

  it('shows no credential of another account, and does not delete it', async () => {
    const { id } = (await store({ platform: 'a', secret: 's' })).body['data']
    const stranger = await site.account(`stranger${accounts}@example.com`)
    const read = await site.call('GET', '/v1/cred', { token: await site.token(stranger, 'cred:read') })
    expect(read.body['data'].credentials).toEqual([])
    const theirs = await site.browser(`stranger${accounts}@example.com`)
    expect((await theirs.call('POST', '/cred/delete', { body: { id } })).status).toBe(403)
    expect(await list()).toHaveLength(1)
  })

  it('lists secrets of 64 KiB in several parts', async () => {
    const secret = '\u0001'.repeat(65_536)
    for (const platform of ['a', 'b', 'c', 'd'])
      expect((await store({ platform, secret: secret + platform })).status, 'too long').toBe(400)
    const secrets = ['a', 'b', 'c', 'd'].map((platform) => platform + '漢'.repeat(65_535))
    for (const text of secrets) expect((await store({ platform: text.slice(0, 1), secret: text })).status).toBe(200)
    const { headers, body } = await site.call('GET', '/v1/cred', { token })
    expect(body['data'].credentials.map(({ secret: text }: { secret: string }) => text)).toEqual(secrets)
    // An answer in one part has a length.
    expect([headers.get('content-length'), headers.get('transfer-encoding')]).toEqual([null, 'chunked'])
  })

  it('a credential whose bytes were changed has a null secret; the others are shown, and the log names it', async () => {
    const damaged = (await store({ platform: 'a', secret: 'first' })).body['data']
    const moved = (await store({ platform: 'b', secret: 'second' })).body['data']
    await store({ platform: 'c', secret: 'third' })
    await site.sql(`update credential set sealed = substr(sealed, 2) where id = ${damaged.id}`)
    await site.sql(
      `update credential set sealed = (select sealed from credential where platform = 'c' and account_id =
      (select account_id from credential where id = ${moved.id})) where id = ${moved.id}`,
    )
    expect(shown(await list())).toEqual(['a   ', 'b   ', 'c   third'])
    const line = site.log.findLast((entry) => entry.includes('do not decrypt')) ?? ''
    expect(JSON.parse(line)).toMatchObject({ credentials: [damaged.id, moved.id] })
  })

  it.each([
    ['platform', { platform: 'git\u202ebuh' }],
    ['label', { platform: 'a', label: '\u200b' }],
    ['username', { platform: 'a', username: 'a\r\nb' }],
  ])('400 for a %s with characters that are not visible', async (field, body) => {
    const answer = await store({ ...body, secret: 's' })
    expect([answer.status, answer.body['error']]).toEqual([400, 'bad_request'])
    expect(answer.body['message']).toMatch(new RegExp(`^${field} must not contain`))
  })

  it('keeps the secret encrypted', async () => {
    await store({ platform: 'a', secret: 'unusual-horse-7413' })
    const kept = await site.everythingKept()
    for (const form of ['utf8', 'base64', 'hex'] as const)
      expect(kept).not.toContain(Buffer.from('unusual-horse-7413').toString(form))
  })
})
