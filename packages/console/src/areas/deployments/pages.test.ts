import { describe, expect, it } from 'vitest'
import { searched } from './search.js'
import { formatDuration, formatSince, formatWait } from './moments.js'
import { draftOf, emptyDraft, slugOf, termsOf, toLocal } from './draft.js'
import type { Deployment, RequestDetail, Submission } from './queries.js'
import { formCurl, prettyBody, repeatCurl } from './samples.js'
import { commonFields, found } from './submission-table.js'

const submission = (id: number, fields: Submission['fields'], subject: string | null = null): Submission => ({
  id,
  received_at: '2026-11-20T09:30:00.000Z',
  network: '192.0.2.0/24',
  user_agent: '',
  subject,
  fields,
})

describe('submissions', () => {
  const list = [
    submission(3, { email: 'ada@example.com', topic: ['Sales', 'Support'] }),
    submission(2, { email: 'grace@example.com', message: 'Hello World' }, 'Prices'),
    submission(1, { email: 'linus@example.com', message: 'Bye' }),
  ]

  it.each([
    ['', [3, 2, 1]],
    ['  HELLO grace ', [2]],
    ['support', [3]],
    ['prices', [2]],
    ['192.0.2', [3, 2, 1]],
    ['hello ada', []],
  ])('a search for %j finds %j', (search, ids) => {
    expect(found(list, search).map(({ id }) => id)).toEqual(ids)
  })

  it('the columns are the most common fields, in the order of the newest submissions', () => {
    expect(commonFields(list, 2)).toEqual(['email', 'message'])
    expect(commonFields(list, 9)).toEqual(['email', 'topic', 'message'])
    const full = [submission(4, { name: 'Ada', email: 'a@example.com', topic: 'Sales', message: 'Hello' })]
    expect(commonFields(full, 3), 'always with the message').toEqual(['name', 'email', 'message'])
  })
})

describe('the search of the list', () => {
  const deployment = (slug: string, kind: Deployment['kind'], target: string | null): Deployment => ({
    id: 1,
    kind,
    slug,
    url: `http://content.localhost/x/${slug}`,
    target,
    enabled: true,
    uses: 0,
    created_at: '2026-11-20T09:30:00.000Z',
    failing: null,
  })
  const list = [
    deployment('launch', 'shortlink', 'https://example.com/launch'),
    deployment('orders', 'webhook', 'https://example.com/hook'),
    deployment('contact', 'form', null),
  ]

  it.each([
    [' ', ['launch', 'orders', 'contact']],
    ['ORD', ['orders']],
    ['example.com', ['launch', 'orders']],
    ['webhook', ['orders']],
    ['short link', ['launch']],
    ['example hook', ['orders']],
    ['http://content.localhost/x/contact', ['contact']],
    ['localhost', []],
    ['form launch', []],
  ])('a search for %j finds %j', (search, slugs) => {
    expect(searched(list, search).map(({ slug }) => slug)).toEqual(slugs)
  })
})

describe('times of deliveries', () => {
  it.each([
    [-5_000, '0 s'],
    [39_200, '40 s'],
    [60_000, '1 min 0 s'],
    [100_000, '1 min 40 s'],
    [10_799_000, '2 h 59 min'],
  ])('a wait of %i ms is %j', (ms, text) => {
    expect(formatWait(ms)).toBe(text)
  })

  it.each([
    [184, '184 ms'],
    [10_000, '10.0 s'],
  ])('a duration of %i ms is %j', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })

  it('shows the time of today, and the day of an earlier one', () => {
    const now = new Date(2026, 10, 24, 18, 0)
    expect(formatSince(new Date(2026, 10, 24, 16, 11).toISOString(), now)).toMatch(/^\d{1,2}:11/)
    expect(formatSince(new Date(2026, 10, 23, 16, 11).toISOString(), now)).toMatch(/23/)
  })
})

describe('samples', () => {
  const request: RequestDetail = {
    id: 1,
    received_at: '',
    ip: '',
    content_type: null,
    size: 1,
    truncated: false,
    delivery: null,
    method: 'POST',
    path: '/github',
    query: 'a=1&b=2',
    headers: [
      { name: 'Host', value: 'content.localhost' },
      { name: 'Content-Length', value: '5' },
      { name: 'X-Event', value: "it's" },
    ],
    body: '@file',
    body_encoding: 'utf-8',
    history: [],
  }
  const url = 'http://content.localhost:8080/h/abc'

  it.each([
    [
      'a text that begins with @',
      {},
      `curl -g -X POST 'http://content.localhost:8080/h/abc/github?a=1&b=2' \\\n  -H 'X-Event: it'\\''s' \\\n  --data-raw @file`,
    ],
    ['no body', { body: '', headers: [], path: '', query: '' }, `curl -g -X POST ${url}`],
    [
      'bytes',
      { body: 'AP8=', body_encoding: 'base64' as const, headers: [], path: '', query: '' },
      `printf %s AP8= | base64 -d | curl -g -X POST ${url} \\\n  --data-binary @-`,
    ],
  ])('repeats a request with %s', (_, changes, command) => {
    expect(repeatCurl(url, { ...request, ...changes })).toBe(command)
  })

  it('sends the Origin of the first site that may send the form', () => {
    expect(formCurl('http://a.example/f/x', 'https://example.com')).toContain("-H 'Origin: https://example.com'")
    expect(formCurl('http://a.example/f/x', undefined)).not.toContain('Origin')
  })

  it('indents JSON, and leaves other texts as they are', () => {
    expect(prettyBody('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}')
    expect(prettyBody('a=1')).toBe('a=1')
  })
})

describe('drafts', () => {
  it.each([
    ['Contact Us', 'contact-us'],
    ['--a_b', 'a-b'],
    ['', ''],
  ])('the slug of %j is %j', (typed, slug) => {
    expect(slugOf(typed)).toBe(slug)
  })

  it('a short link keeps its options through the form', () => {
    const expires_at = '2027-01-31T18:00:00.000Z'
    const shortlink = { status: 301, forward_query: true, expires_at, max_uses: 3 } as const
    const target = 'https://example.com/'
    const detail = { id: 9, kind: 'shortlink', slug: 'a', url: '', target, enabled: true, uses: 0 } as const
    const draft = draftOf({ ...detail, created_at: expires_at, updated_at: expires_at, shortlink })
    expect(draft.expiresAt).toBe(toLocal(expires_at))
    expect(termsOf('shortlink', draft)).toEqual({ target, shortlink })
  })

  it('an empty target ends the forwarding of a webhook, and a form has no target', () => {
    expect(termsOf('webhook', { ...emptyDraft, target: ' ' })).toEqual({ target: null })
    expect(termsOf('form', { ...emptyDraft, target: 'x' })).toEqual({ form: { origins: [], next_urls: [] } })
  })
})
