import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../test/app.js'
import { startDeployments, type Deployments } from '../../../test/deployments.js'
import { expectError } from '../../../test/raw-http.js'

/** How deployments are created, changed, listed, toggled and deleted. */

const target = 'https://example.com/launch'

describe.each(databaseKinds)('deployments on %s', (kind) => {
  let site: Deployments
  beforeAll(async () => {
    site = await startDeployments(kind, { deploymentsMax: 20 })
  })
  afterAll(() => site.stop())

  const v1 = (method: string, path: string, body?: object) =>
    site.call(method, `/v1/deployments${path}`, { token: site.v1Token, body })
  const create = (body: object) => site.ada.call('POST', '/deployments/create', { body })
  const update = (body: object) => site.ada.call('POST', '/deployments/update', { body })

  it('a short link has the options of its kind', async () => {
    const options = { status: 301, forward_query: true, expires_at: '2030-01-31T18:00:00+02:00', max_uses: 3 }
    const { body } = await create({
      kind: 'shortlink',
      slug: 'launch',
      target: 'HTTPS://Example.com/ä',
      shortlink: options,
    })
    expect(body['data']).toMatchObject({
      kind: 'shortlink',
      slug: 'launch',
      target: 'https://example.com/%C3%A4',
      enabled: true,
      uses: 0,
      url: expect.stringMatching(/^http:\/\/content\.localhost:\d+\/l\/launch$/) as unknown,
      shortlink: { ...options, expires_at: '2030-01-31T16:00:00.000Z' },
    })
    expect(body['data']).not.toHaveProperty('form')
  })

  it('a short link has by default a random slug, is enabled, and answers 302 without limits', async () => {
    const link = (await create({ kind: 'shortlink', target })).body['data']
    expect(link.slug).toMatch(/^[a-z0-9]{8}$/)
    expect(link).toMatchObject({
      enabled: true,
      shortlink: { status: 302, forward_query: false, expires_at: null, max_uses: null },
    })
    const form = (await create({ kind: 'form', enabled: false })).body['data']
    expect(form).toMatchObject({ enabled: false, target: null, form: { next_urls: [], origins: [] } })
  })

  it('a slug is unique among the deployments of one kind, of all accounts', async () => {
    await site.account('bob@example.com')
    const bob = await site.browser('bob@example.com')
    await create({ kind: 'shortlink', slug: 'taken', target })
    const again = await bob.call('POST', '/deployments/create', { body: { kind: 'shortlink', slug: 'taken', target } })
    expectError(again, 'bad_request')
    expect(again.body['message']).toContain('slug "taken" is taken')
    expect((await create({ kind: 'form', slug: 'taken' })).status).toBe(200)
  })

  it('the slug of a deleted deployment stays with its account, which can use it again', async () => {
    await site.account('eve@example.com')
    const eve = await site.browser('eve@example.com')
    for (const given of [
      { kind: 'form', slug: 'kept' },
      { kind: 'webhook', slug: 'kept' },
      { kind: 'shortlink', slug: 'kept', target },
    ]) {
      const takenBy = (browser: typeof eve) => browser.call('POST', '/deployments/create', { body: given })
      const { id } = await site.create(given)
      await v1('POST', '/delete', { id })
      const answer = await takenBy(eve)
      expectError(answer, 'bad_request')
      expect(answer.body['message']).toContain('slug "kept" is taken')
      const again = await takenBy(site.ada)
      expect(again.status).toBe(200)
      expectError(await takenBy(site.ada), 'bad_request')
      await v1('POST', '/delete', { id: again.body['data'].id })
    }
  })

  it('an account can use ten times as many slugs as deployments', async () => {
    const fay = await site.account('fay@example.com')
    const browser = await site.browser('fay@example.com')
    const form = { body: { kind: 'form', slug: 'faye' } }
    const { id } = (await browser.call('POST', '/deployments/create', form)).body['data']
    await browser.call('POST', '/deployments/delete', { body: { id } })
    for (let n = 1; n < 200; n++)
      await site.sql(`insert into deployment_slug values ('form', 'used-${String(n)}', ${String(fay.id)})`)
    const beyond = await browser.call('POST', '/deployments/create', { body: { kind: 'form' } })
    expectError(beyond, 'bad_request')
    expect(beyond.body['message']).toContain('The account has used 200 slugs')
    expect((await browser.call('POST', '/deployments/create', form)).status).toBe(200)
  })

  it('update changes the supplied options only', async () => {
    const { id } = await site.create({ kind: 'shortlink', target, shortlink: { status: 301, max_uses: 5 } })
    const changed = await update({ id, shortlink: { forward_query: true, expires_at: '2030-01-01T00:00:00Z' } })
    const shortlink = { status: 301, forward_query: true, expires_at: '2030-01-01T00:00:00.000Z', max_uses: 5 }
    expect(changed.body['data']).toMatchObject({ target, shortlink })
    const freed = await update({ id, target: 'http://other.example/', shortlink: { expires_at: null, max_uses: null } })
    expect(freed.body['data']).toMatchObject({
      target: 'http://other.example/',
      shortlink: { ...shortlink, expires_at: null, max_uses: null },
    })
    expect((await site.ada.call('GET', `/deployments/${String(id)}`)).body['data']).toEqual(freed.body['data'])
    const form = await site.create({ kind: 'form', form: { origins: ['https://a.example/'] } })
    const redirect = { next_urls: ['https://a.example/thanks'] }
    expect((await update({ id: form.id, form: redirect })).body['data'].form).toEqual({
      ...redirect,
      origins: ['https://a.example'],
    })
  })

  it.each<[object, string]>([
    [{ kind: 'shortlink' }, 'target is required for a short link.'],
    [{ kind: 'shortlink', target: '/path' }, 'target must be an absolute URL'],
    [{ kind: 'shortlink', target, form: {} }, 'form is not for short links'],
    [{ kind: 'shortlink', target, shortlink: { expires_at: 'tomorrow' } }, 'shortlink.expires_at must be a time'],
    ...['2027-13-01T00:00:00Z', '2027-02-30T00:00:00Z', '2027-01-01T25:00:00Z', '2027-01-01'].map(
      (time): [object, string] => [
        { kind: 'shortlink', target, shortlink: { expires_at: time } },
        'shortlink.expires_at must be a time',
      ],
    ),
    [{ kind: 'shortlink', target, shortlink: { max_uses: 0 } }, 'shortlink.max_uses must be at least 1'],
    [{ kind: 'shortlink', target, shortlink: { status: 307 } }, 'shortlink.status must be one of 302, 301'],
    [{ kind: 'shortlink', target, slug: 'UPPER' }, 'slug must match'],
    [{ kind: 'form', target }, 'target is not for forms'],
    [{ kind: 'form', shortlink: {} }, 'shortlink is not for forms'],
    [{ kind: 'form', form: { next_urls: ['javascript:alert(1)'] } }, 'form.next_urls[0] must be a URL of http'],
    [{ kind: 'form', form: { origins: ['https://a.example/path'] } }, 'form.origins[0] must be an origin'],
  ])('400 bad_request for %j', async (body, message) => {
    const answer = await create(body)
    expectError(answer, 'bad_request')
    expect(answer.body['message']).toContain(message)
  })

  it('toggle flips the state, or sets it', async () => {
    const { id } = await site.create({ kind: 'shortlink', target })
    const states: unknown[] = []
    for (const enabled of [undefined, undefined, false, false, true])
      states.push((await v1('POST', '/toggle', { id, enabled })).body['data'].enabled)
    expect(states).toEqual([false, true, false, false, true])
  })

  it('concurrent toggles all take effect', async () => {
    const { id } = await site.create({ kind: 'shortlink', target })
    const answers = await Promise.all(Array.from({ length: 9 }, () => v1('POST', '/toggle', { id })))
    expect(answers.filter(({ body }) => body['data'].enabled === true)).toHaveLength(4)
    expect((await site.ada.call('GET', `/deployments/${String(id)}`)).body['data'].enabled).toBe(false)
  })

  it('deployments are listed newest first, page by page, until they are deleted; up to the limit of an account', async () => {
    const { next, total, deployments } = (await v1('GET', '')).body['data']
    expect([next, deployments.length]).toEqual([null, total])
    const first = (await v1('GET', '?limit=2')).body['data']
    const second = (await v1('GET', `?limit=2&before=${String(first.next)}`)).body['data']
    expect([...first.deployments, ...second.deployments]).toEqual(deployments.slice(0, 4))
    for (let more = total; more < 20; more++) await site.create({ kind: 'form' })
    const beyond = await create({ kind: 'form' })
    expectError(beyond, 'bad_request')
    expect(beyond.body['message']).toBe('The account has 20 deployments and may have 20: delete one first.')
    const { id } = deployments[0]
    expect((await v1('POST', '/delete', { id })).body['data']).toEqual({ id, deleted: true })
    expectError(await v1('POST', '/delete', { id }), 'not_found')
    expect((await v1('GET', '')).body['data'].total).toBe(19)
    expect((await create({ kind: 'form' })).status).toBe(200)
  })
})
