import { describe, expect, it } from 'vitest'
import { ApiError } from '@svc/contract/errors'
import { allowedHeaders } from './headers.js'
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
    ['/*\n\tNEL: 1\n  Link:2', '/', { nel: '1', link: '2' }],
    ['/*\n  NEL: 1\n/a\n  NEL: 2', '/a', { nel: '1, 2' }],
    ['/*\n  NEL: 1\n/a\n  ! NEL\n  NEL: 2', '/a', { nel: '2' }],
    ['/*\n  NEL: 1\n/a\n  ! NEL', '/a', {}],
    ['/*\n  Cache-Control: no-store', '/', { 'cache-control': 'no-store' }],
    ['/*\n  ! Cache-Control', '/', { 'cache-control': null }],
    ['/*.jpg\n  NEL: 1', '/deep/er/photo.jpg', { nel: '1' }],
    ['/*.jpg\n  NEL: 1', '/photo.jpeg', {}],
    ['/aa*aa\n  NEL: 1', '/aaa', {}],
    ['/a/:id\n  NEL: 1', '/a/5', { nel: '1' }],
    ['/a/:id\n  NEL: 1', '/a/5/6', {}],
    ['/a/:id/*\n  NEL: 1', '/a/5/6', { nel: '1' }],
    ['# comment\n/a\n\n  # comment\n  NEL: a:b # c', '/a', { nel: 'a:b # c' }],
    ['/a\n  Link: </style.css>; rel=preload', '/a', { link: '</style.css>; rel=preload' }],
    ['/a\n  Access-Control-Allow-Origin: *', '/a', { 'access-control-allow-origin': '*' }],
    ['/a\r\n  NEL: 1\r\n', '/a', { nel: '1' }],
  ])('_headers %j gives the path %s its headers', (headers, path, expected) => {
    expect(changed(headers, path)).toEqual(expected)
  })
})

describe('_headers: refuses', () => {
  const problems: [string, string][] = [
    ['  NEL: 1', 'line 1: a header must follow a path that begins at the start of its line.'],
    [
      'https://a.example/*\n  NEL: 1',
      'line 1: a path must begin with one slash and have no host, not https://a.example/*.',
    ],
    ['/a\n  NEL', 'line 2: a header has the form Name: value, its removal the form ! Name.'],
    ['/a\n  NEL:', 'line 2: the value of nel must be visible ASCII characters.'],
    ['/a\n  NEL: ü', 'line 2: the value of nel must be visible ASCII characters.'],
    ['/a\n  NEL: 1\rLink: 2', 'line 2: control characters are not supported.'],
    ['/a\n  X A: 1', 'line 2: the name of a header has letters, digits and hyphens, unlike X A.'],
    ['/a\n  : 1', 'line 2: the name of a header has letters, digits and hyphens, unlike .'],
    ['/a\n  ! NEL: 1', 'line 2: the name of a header has letters, digits and hyphens, unlike NEL: 1.'],
    ['/:id\n  NEL: no :id', 'line 2: placeholders are not supported in the value of a header.'],
    ['/*\n  NEL: no :splat', 'line 2: placeholders are not supported in the value of a header.'],
  ]
  const names = [
    ...['Set-Cookie', 'Content-Length', 'Transfer-Encoding', 'Connection', 'Date', 'ETag', 'Content-Encoding', 'Vary'],
    ...['Content-Range', 'Trailer', 'Upgrade', 'Location', 'Server', 'X-Request-Id', 'Keep-Alive', 'TE', 'Basic-Auth'],
    ...['NELccel-Redirect', 'x-accel-buffering', 'X-Sendfile', 'X-Sendfile2', 'X-Sendfile-Temporary', 'X-Reproxy-URL'],
    ...['X-LIGHTTPD-send-file', 'X-LIGHTTPD-send-tempfile', 'xkey', 'Surrogate-Control', 'Surrogate-Key', 'Cache-Tag'],
    ...['CDN-Cache-Control', 'Edge-Control', 'Alt-Svc', 'Refresh', 'Clear-Site-Data', 'X-Unknown', 'constructor'],
  ]
  const lines = names.flatMap((name) =>
    [`${name}: a`, `! ${name}`].map((line): [string, string] => [
      `/a\n  ${line}`,
      `line 2: a site cannot set the header ${name}; accepted are ${allowedHeaders.join(', ')}.`,
    ]),
  )
  it.each([...problems, ...lines])('refuses _headers %j', (headers, problem) => {
    expect(() => parseRules({ headers })).toThrow(new ApiError('bad_request', `archive: _headers, ${problem}`))
  })

  it('refuses the 101st path and the 501st header', () => {
    const paths = (count: number) => Array.from({ length: count }, (_, n) => `/${n}\n  NEL: 1`).join('\n')
    expect(parseRules({ headers: paths(100) }).headers).toHaveLength(100)
    expect(() => parseRules({ headers: paths(101) })).toThrow('line 201: at most 100 paths are supported.')
    const headers = (count: number) => `/a\n${'  NEL: 1\n'.repeat(count)}`
    expect(parseRules({ headers: headers(500) }).headers).toHaveLength(1)
    expect(() => parseRules({ headers: headers(501) })).toThrow('line 502: at most 500 headers are supported.')
  })
})

it('the rules survive JSON', () => {
  const rules = parseRules({ headers: '/*\n  NEL: 1\n  ! Cache-Control', redirects: '/a/* /b/:splat 301!' })
  const matcher = new RuleMatcher(JSON.parse(JSON.stringify(rules)) as typeof rules)
  expect(matcher.applyHeaders('/a', defaults)).toEqual({ nel: '1', 'x-content-type-options': 'nosniff' })
  expect(matcher.redirectFor('/a/c')?.captures).toEqual({ splat: 'c' })
})

it('a version whose rules set other headers, from before the list, is served without them', () => {
  const path = { parts: ['/'], suffix: '' }
  const changes = ['x-sendfile2', 'surrogate-control', 'x-frame-options'].map((name) => ({ name, value: 'a' }))
  const matcher = new RuleMatcher({ headers: [{ path, changes }], redirects: [] })
  expect(matcher.applyHeaders('/a', {})).toEqual({ 'x-frame-options': 'a' })
})
