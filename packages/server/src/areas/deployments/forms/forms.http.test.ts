import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { fieldPart, filePart, formOf, formType } from '../../../../test/byte-forms.js'
import { onContent, startDeployments, type Deployments } from '../../../../test/deployments.js'
import type { HttpCall } from '../../../../test/raw-http.js'
import { removalJob } from '../removal-store.js'
import { formStore } from './form-store.js'

/** Forms at their addresses, and what the console shows of their submissions. */

const urlencoded = 'application/x-www-form-urlencoded'
const site1 = 'https://example.com'

describe.each(databaseKinds)('forms on %s', (kind) => {
  let site: Deployments
  beforeAll(async () => {
    site = await startDeployments(kind)
  })
  afterAll(() => site.stop())

  const form = (options: object = {}) => site.create({ kind: 'form', form: options })
  let clients = 0
  /** Each request has another address, because of the limit for networks. */
  const request = (slug: string, method: string, { headers, body }: HttpCall) => {
    const ip = `10.${String(clients >> 8)}.${String(clients++ & 255)}.7`
    return onContent(site, method, `/f/${slug}`, {
      headers: { 'x-forwarded-for': ip, ...headers },
      ...(body !== undefined && { body }),
    })
  }
  const post = (slug: string, body: string | Buffer, headers: Record<string, string> = {}) =>
    request(slug, 'POST', { headers: { 'content-type': urlencoded, ...headers }, body })
  const list = async (id: number, query = '') =>
    (await site.ada.call('GET', `/deployments/${String(id)}/submissions${query}`)).body['data']
  const fieldsOf = async (id: number) =>
    (await list(id)).submissions.map(({ fields }: { fields: unknown }) => fields) as unknown[]

  it('stores submissions in the three encodings, and counts them', async () => {
    const { id, slug } = await form()
    const agent = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/127.0' }
    await post(slug, 'email=ada%40example.com&topic=a&topic=b&_subject=Hello', agent)
    await post(slug, formOf(fieldPart('email', 'bob@example.com')), { 'content-type': formType })
    await post(slug, '{"email":"eve@example.com","age":7}', { 'content-type': 'application/json' })
    const { submissions, next, total } = await list(id)
    expect([next, total, await site.usesOf(id)]).toEqual([null, 3, 3])
    expect(submissions).toMatchObject([
      { id: 3, fields: { email: 'eve@example.com', age: '7' } },
      { id: 2, fields: { email: 'bob@example.com' }, subject: null, user_agent: '' },
      {
        id: 1,
        fields: { email: 'ada@example.com', topic: ['a', 'b'] },
        subject: 'Hello',
        user_agent: agent['user-agent'],
      },
    ])
    expect(submissions[0].network).toMatch(/^10\.\d+\.\d+\.0\/24$/)
    expect(Date.parse(submissions[0].received_at)).toBeGreaterThan(Date.now() - 60_000)
  })

  it('a browser gets a fixed page or is sent to _next, a script gets JSON', async () => {
    const { slug } = await form({ next_urls: ['https://listed.example/thanks'] })
    const page = await post(slug, 'a=<script>')
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.text).toContain('<h1>Thank you</h1>')
    expect(page.text).not.toContain('script')
    expect(page.headers['content-security-policy']).toMatch(/^sandbox; default-src 'none'/)
    for (const [next, location] of [
      ['/thanks', `${site1}/thanks`],
      ['https://listed.example/thanks', 'https://listed.example/thanks'],
    ] as const) {
      const answer = await post(slug, `a=1&_next=${encodeURIComponent(next)}`, { origin: site1 })
      expect([answer.status, answer.headers.location, answer.text]).toEqual([303, location, ''])
    }
    const json = { 'content-type': 'application/json' }
    const accept = { accept: 'text/html;q=0.5, application/json' }
    for (const answer of [
      await post(slug, '{"a":1}', json),
      await post(slug, 'a=1&_next=/x', { ...accept, origin: site1 }),
    ])
      expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([
        ...[200, 'application/json; charset=utf-8'],
        '{"ok":true}',
      ])
  })

  it('spam is answered as a success, not stored and not counted', async () => {
    const { id, slug } = await form()
    const [spam, real] = [await post(slug, 'a=1&_gotcha=x'), await post(slug, 'a=1&_gotcha=')]
    expect([spam.status, spam.text]).toEqual([real.status, real.text])
    expect([await site.usesOf(id), (await list(id)).total]).toEqual([1, 1])
  })

  it.each<[string, number, string, string | Buffer, Record<string, string>]>([
    ['another type', 415, 'Send the form as', 'a=1', { 'content-type': 'text/plain' }],
    ['a file', 400, 'The field "content" is a file', formOf(filePart('x')), { 'content-type': formType }],
    ['a foreign _next', 400, '_next must be', 'a=1&_next=https://evil.example', { origin: site1 }],
    ['a foreign _next of spam', 400, '_next must be', '_gotcha=1&_next=https://evil.example', { origin: site1 }],
    ['an empty body', 400, 'The form is empty: fill in at least one field', '', {}],
    ['nothing but blank and special fields', 400, 'The form is empty', 'name=&text=+%0A&_subject=Hi', {}],
    ['1,000 fields', 400, 'The form has more than 100 values', 'a=1&'.repeat(1_000), {}],
    ['a body that is too long', 413, 'The body must have at most 131072 bytes', `a=${'x'.repeat(131_072)}`, {}],
    ['fields that are too long', 413, 'A submission must have at most 65536 bytes', `a=${'x'.repeat(65_536)}`, {}],
  ])('%s is refused with the status %i', async (_, status, message, body, headers) => {
    const { id, slug } = await form()
    const answer = await post(slug, body, headers)
    expect([answer.status, answer.headers['content-type']]).toEqual([status, 'text/plain; charset=utf-8'])
    expect(answer.text).toContain(message)
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    expect([await site.usesOf(id), (await list(id)).total]).toEqual([0, 0])
  })

  it('only listed origins may send a form, and scripts of them may read the answer', async () => {
    const { id, slug } = await form({ origins: [site1] })
    const listed = await post(slug, 'a=1', { origin: site1 })
    expect(listed.headers).toMatchObject({ 'access-control-allow-origin': site1, vary: 'Origin' })
    const failed = await post(slug, 'a=1&=2', { origin: site1 })
    expect([failed.status, failed.headers['access-control-allow-origin']]).toEqual([400, site1])
    const preflight = await request(slug, 'OPTIONS', { headers: { origin: site1 } })
    expect([preflight.status, preflight.text]).toEqual([204, ''])
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': site1,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type, accept',
    })
    for (const [method, headers] of [
      ['POST', { origin: 'https://evil.example' }],
      ['POST', {}],
      ['OPTIONS', { origin: 'https://evil.example' }],
    ] as const) {
      const answer = await request(slug, method, { headers })
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([403, undefined])
    }
    expect(await site.usesOf(id)).toBe(1)
  })

  it('GET explains the address, other methods are refused', async () => {
    const { slug } = await form()
    const shown = await request(slug, 'GET', {})
    expect([shown.status, shown.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(shown.text).toMatch(/^This is the address of a form: [^\n]+\n$/)
    expect((await request(slug, 'HEAD', {})).status).toBe(200)
    expect((await request(slug, 'PUT', {})).status).toBe(405)
  })

  it('404 for a form that is unknown, disabled or deleted', async () => {
    const { id, slug } = await form()
    await site.ada.call('POST', '/deployments/toggle', { body: { id } })
    for (const method of ['GET', 'POST', 'OPTIONS']) expect((await request(slug, method, {})).status).toBe(404)
    await site.ada.call('POST', '/deployments/toggle', { body: { id } })
    expect((await post(slug, 'a=1')).status).toBe(200)
    await site.ada.call('POST', '/deployments/delete', { body: { id } })
    expect((await post(slug, 'a=1')).status).toBe(404)
    expect((await post('%00', 'a=1')).status).toBe(404)
  })

  it('429 for the eleventh submission of a network in a minute', async () => {
    const { id, slug } = await form()
    const from = { 'x-forwarded-for': '192.0.2.1' }
    const answers = await Promise.all(Array.from({ length: 11 }, () => post(slug, 'a=1', from)))
    const refused = answers.filter(({ status }) => status === 429)
    expect([refused.length, await site.usesOf(id)]).toEqual([1, 10])
    expect(refused[0]?.headers).toMatchObject({ 'retry-after': expect.stringMatching(/^\d+$/) as unknown })
    expect((await post(slug, 'a=1', { 'x-forwarded-for': '192.0.3.1' })).status).toBe(200)
  })

  it('parallel submissions are counted and stored exactly', async () => {
    const { id, slug } = await form()
    const other = await site.another()
    const bodies = Array.from({ length: 60 }, (_, i) => `n=${String(i)}`)
    const statuses = await Promise.all(
      bodies.map(async (body, i) => {
        const headers = { 'content-type': urlencoded, 'x-forwarded-for': `10.9.${String(i)}.1` }
        return (await onContent(i % 2 ? site : other, 'POST', `/f/${slug}`, { headers, body })).status
      }),
    )
    await other.stop()
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(await site.usesOf(id)).toBe(60)
    expect(new Set((await fieldsOf(id)).map((fields) => (fields as { n: string }).n)).size).toBe(60)
  })

  it('submissions are listed page by page, and deleted one by one', async () => {
    const { id, slug } = await form()
    for (let n = 1; n <= 5; n++) await post(slug, `n=${String(n)}`)
    const first = await list(id, '?limit=2')
    expect(first).toMatchObject({ submissions: [{ id: 5 }, { id: 4 }], next: 4, total: 5 })
    expect(await list(id, `?limit=3&before=${String(first.next)}`)).toMatchObject({
      submissions: [{ id: 3 }, { id: 2 }, { id: 1 }],
      next: null,
      total: 5,
    })
    await site.ada.call('POST', '/deployments/submissions/delete', { body: { id, submission_id: 3 } })
    const again = await site.ada.call('POST', '/deployments/submissions/delete', { body: { id, submission_id: 3 } })
    expect(again.status).toBe(404)
    const { submissions, total } = await list(id)
    expect([submissions.map((entry: { id: number }) => entry.id), total]).toEqual([[5, 4, 2, 1], 4])
    expect(await site.usesOf(id)).toBe(5)
  })

  it('several submissions are deleted at once; numbers that do not exist are ignored', async () => {
    const { id, slug } = await form()
    for (let n = 1; n <= 5; n++) await post(slug, `n=${String(n)}`)
    const remove = (ids: readonly number[]) =>
      site.ada.call('POST', '/deployments/submissions/delete-several', { body: { id, submission_ids: ids } })
    expect((await remove([1, 3, 4, 9, 4])).body['data']).toEqual({ deleted: 3 })
    expect((await remove([3])).body['data']).toEqual({ deleted: 0 })
    const { submissions, total } = await list(id)
    expect([submissions.map((entry: { id: number }) => entry.id), total]).toEqual([[5, 2], 2])
    expect(await site.usesOf(id)).toBe(5)
    expect((await remove([])).status).toBe(400)
    expect((await remove(Array.from({ length: 501 }, (_, index) => index + 1))).status).toBe(400)
  })

  it('a page has fewer submissions if they are long, and all pages have all', async () => {
    const { id, slug } = await form()
    for (let n = 0; n < 6; n++) await post(slug, `n=${String(n)}&long=${'x'.repeat(60_000)}`)
    const first = await list(id)
    expect(first.submissions.length).toBeLessThan(6)
    const second = await list(id, `?before=${String(first.next)}`)
    expect([...first.submissions, ...second.submissions]).toHaveLength(6)
    const csv = await site.ada.call('GET', `/deployments/${String(id)}/submissions/export`)
    expect(csv.text.trimEnd().split('\r\n')).toHaveLength(7)
  })

  it('submissions are exported as CSV', async () => {
    const { id, slug } = await form()
    await post(slug, 'email=ada%40example.com&n=%3D1%2B1')
    const csv = await site.ada.call('GET', `/deployments/${String(id)}/submissions/export`)
    expect(csv.status).toBe(200)
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(csv.headers.get('content-disposition')).toBe(`attachment; filename=${slug}.csv`)
    expect(csv.text).toMatch(/^id,.*,email,n,other_fields\r\n1,.*,ada@example\.com,'=1\+1,\r\n$/)
    const head = await site.ada.call('HEAD', `/deployments/${String(id)}/submissions/export`, {})
    expect([head.status, head.text]).toEqual([200, ''])
  })

  it('only forms have submissions', async () => {
    const { id } = await site.create({ kind: 'shortlink', target: `${site1}/` })
    for (const answer of [
      await site.ada.call('GET', `/deployments/${String(id)}/submissions`),
      await site.ada.call('POST', '/deployments/submissions/delete', { body: { id, submission_id: 1 } }),
      await site.ada.call('POST', '/deployments/submissions/delete-several', { body: { id, submission_ids: [1] } }),
    ])
      expect(answer.body).toMatchObject({
        error: 'bad_request',
        message: 'id names a shortlink: only forms have submissions.',
      })
  })

  it('the oldest submissions are removed beyond 10,000', async () => {
    const { id, slug } = await form()
    for (let n = 1; n <= 3; n++) await post(slug, `n=${String(n)}`)
    await site.sql(`update deployment set uses = 10001 where id = ${String(id)}`)
    await post(slug, 'n=4')
    const { submissions, total } = await list(id)
    expect([submissions.map((entry: { id: number }) => entry.id), total]).toEqual([[10_002, 3], 2])
  })

  it('the submissions of a deleted form are removed in the background, those of others are kept', async () => {
    const [doomed, kept] = [await form(), await form()]
    const submission = { receivedAt: 1, network: '', userAgent: '', subject: null, size: 2, fields: '{}' }
    const store = formStore(site.app.database)
    // More than one part.
    await Promise.all(Array.from({ length: 150 }, () => store.store({ ...submission, formId: doomed.id })))
    await store.store({ ...submission, formId: kept.id })
    await site.ada.call('POST', '/deployments/delete', { body: { id: doomed.id } })
    expect(await store.store({ ...submission, formId: doomed.id })).toBe(false)
    await removalJob(site.app.database).run(new AbortController().signal)
    const left = await site.sql('select deployment_id as id from form_submission')
    const of = (formId: number) => left.filter(({ id }) => Number(id) === formId).length
    expect([of(doomed.id), of(kept.id)]).toEqual([0, 1])
    expect(await site.sql('select * from deployment_deleted')).toEqual([])
  })
})
