import { describe, expect, it } from 'vitest'
import { ApiError } from '@svc/contract/errors'
import { RuleMatcher } from './matcher.js'
import { parseRules } from './rules.js'

const defaults = { 'cache-control': 'public, max-age=0', 'x-content-type-options': 'nosniff' }

/** The differences to the defaults; `null` for a removed header. */
function changed(headers: string, path: string): Record<string, string | null> {
  const after = new RuleMatcher(parseRules({ headers })).applyHeaders(path, defaults)
  const own = Object.entries(after).filter(([name, value]) => (defaults as Record<string, string>)[name] !== value)
  const removed = Object.keys(defaults).filter((name) => !(name in after))
  return { ...Object.fromEntries(own), ...Object.fromEntries(removed.map((name) => [name, null])) }
}

describe('_headers: a path gets', () => {
  it.each<[string, string, Record<string, string | null>]>([
    ['', '/', {}],
    ['/*\n  X-Frame-Options: DENY', '/a/b', { 'x-frame-options': 'DENY' }],
    ['/*\n\tX-A: 1\n  X-B:2', '/', { 'x-a': '1', 'x-b': '2' }],
    ['/*\n  X-A: 1\n/a\n  X-A: 2', '/a', { 'x-a': '1, 2' }],
    ['/*\n  X-A: 1\n/a\n  ! X-A\n  X-A: 2', '/a', { 'x-a': '2' }],
    ['/*\n  X-A: 1\n/a\n  ! X-A', '/a', {}],
    ['/*\n  Cache-Control: no-store', '/', { 'cache-control': 'no-store' }],
    ['/*\n  ! Cache-Control', '/', { 'cache-control': null }],
    ['/*.jpg\n  X-A: 1', '/deep/er/photo.jpg', { 'x-a': '1' }],
    ['/*.jpg\n  X-A: 1', '/photo.jpeg', {}],
    ['/aa*aa\n  X-A: 1', '/aaa', {}],
    ['/a/:id\n  X-A: 1', '/a/5', { 'x-a': '1' }],
    ['/a/:id\n  X-A: 1', '/a/5/6', {}],
    ['/a/:id/*\n  X-A: 1', '/a/5/6', { 'x-a': '1' }],
    ['# comment\n/a\n\n  # comment\n  X-A: a:b # c', '/a', { 'x-a': 'a:b # c' }],
    ['/a\n  Link: </style.css>; rel=preload', '/a', { link: '</style.css>; rel=preload' }],
    ['/a\n  Access-Control-Allow-Origin: *', '/a', { 'access-control-allow-origin': '*' }],
    ['/a\r\n  X-A: 1\r\n', '/a', { 'x-a': '1' }],
  ])('%j: %s', (headers, path, expected) => {
    expect(changed(headers, path)).toEqual(expected)
  })
})

describe('_headers: refuses', () => {
  const problems: [string, string][] = [
    ['  X-A: 1', 'line 1: a header must follow a path that begins at the start of its line.'],
    [
      'https://a.example/*\n  X-A: 1',
      'line 1: a path must begin with one slash and have no host, not https://a.example/*.',
    ],
    ['/a\n  X-A', 'line 2: a header has the form Name: value, its removal the form ! Name.'],
    ['/a\n  X-A:', 'line 2: the value of x-a must be visible ASCII characters.'],
    ['/a\n  X-A: ü', 'line 2: the value of x-a must be visible ASCII characters.'],
    ['/a\n  X-A: 1\rX-B: 2', 'line 2: control characters are not supported.'],
    ['/a\n  X A: 1', 'line 2: the name of a header has letters, digits and hyphens, unlike X A.'],
    ['/a\n  : 1', 'line 2: the name of a header has letters, digits and hyphens, unlike .'],
    ['/a\n  ! X-A: 1', 'line 2: the name of a header has letters, digits and hyphens, unlike X-A: 1.'],
    ['/:id\n  X-A: no :id', 'line 2: placeholders are not supported in the value of a header.'],
    ['/*\n  X-A: no :splat', 'line 2: placeholders are not supported in the value of a header.'],
  ]
  const names = [
    ...['Set-Cookie', 'Content-Length', 'Transfer-Encoding', 'Connection', 'Date', 'ETag', 'Content-Encoding', 'Vary'],
    ...['Content-Range', 'Trailer', 'Upgrade', 'Location', 'Server', 'X-Request-Id', 'Keep-Alive', 'TE', 'Basic-Auth'],
  ]
  const lines = names.flatMap((name) =>
    [`${name}: a`, `! ${name}`].map((line): [string, string] => [
      `/a\n  ${line}`,
      `line 2: the server sets ${name}; a site cannot change it.`,
    ]),
  )
  const orders = ['X-Accel-Redirect', 'x-accel-buffering', 'X-Sendfile', 'X-LIGHTTPD-send-file', 'Clear-Site-Data']
  const orderLines = orders.map((name): [string, string] => [
    `/a\n  ${name}: a`,
    `line 2: ${name} is not supported: it would reach beyond the files of this site.`,
  ])
  it.each([...problems, ...lines, ...orderLines])('%j', (headers, problem) => {
    expect(() => parseRules({ headers })).toThrow(new ApiError('bad_request', `archive: _headers, ${problem}`))
  })

  it('the 101st path and the 501st header', () => {
    const paths = (count: number) => Array.from({ length: count }, (_, n) => `/${n}\n  X-A: 1`).join('\n')
    expect(parseRules({ headers: paths(100) }).headers).toHaveLength(100)
    expect(() => parseRules({ headers: paths(101) })).toThrow('line 201: at most 100 paths are supported.')
    const headers = (count: number) => `/a\n${'  X-A: 1\n'.repeat(count)}`
    expect(parseRules({ headers: headers(500) }).headers).toHaveLength(1)
    expect(() => parseRules({ headers: headers(501) })).toThrow('line 502: at most 500 headers are supported.')
  })
})

it('the rules survive JSON', () => {
  const rules = parseRules({ headers: '/*\n  X-A: 1\n  ! Cache-Control', redirects: '/a/* /b/:splat 301!' })
  const matcher = new RuleMatcher(JSON.parse(JSON.stringify(rules)) as typeof rules)
  expect(matcher.applyHeaders('/a', defaults)).toEqual({ 'x-a': '1', 'x-content-type-options': 'nosniff' })
  expect(matcher.redirectFor('/a/c')?.captures).toEqual({ splat: 'c' })
})
