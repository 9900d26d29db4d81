import { describe, expect, it } from 'vitest'
import { ApiError } from '@svc/contract/errors'
import { RuleMatcher } from './matcher.js'
import { encodePath, fill, locationOf } from './redirects.js'
import { parseRules } from './rules.js'

const parse = (redirects: string) => parseRules({ redirects }).redirects

/** What a request for a path gets. */
function answer(redirects: string, path: string, query = ''): string | undefined {
  const match = new RuleMatcher(parseRules({ redirects })).redirectFor(path)
  if (!match) return undefined
  const { rule, captures } = match
  const target = rule.status < 400 && rule.status >= 300 ? locationOf(rule, captures, query) : fill(rule.to, captures)
  return `${rule.status}${rule.isForced ? '!' : ''} ${target}`
}

/** A path of placeholders. */
const placeholders = (count: number) => Array.from({ length: count }, (_, n) => `/:p${n}`).join('')

describe('_redirects: a line is read as', () => {
  it.each<[string, string, number, boolean]>([
    ['/a /b', '/b', 302, false],
    ['/a\t/b  301', '/b', 301, false],
    ['/a /b 303', '/b', 303, false],
    ['/a /b 307', '/b', 307, false],
    ['/a /b 308!', '/b', 308, true],
    ['/a /b 200', '/b', 200, false],
    ['/a /b 404', '/b', 404, false],
    ['/a /b 302 # moved in May', '/b', 302, false],
    ['/a /b # moved', '/b', 302, false],
    ['/a /b#part', '/b#part', 302, false],
    ['/a https://example.com:8443/x?y=1', 'https://example.com:8443/x?y=1', 302, false],
    ['/a HTTP://example.com', 'HTTP://example.com', 302, false],
    ['/a /café', '/caf%C3%A9', 302, false],
    ['/a /b\r', '/b', 302, false],
    ['\uFEFF/a /b', '/b', 302, false],
    ['/a https://en.wikipedia.org/wiki/Help:Contents', 'https://en.wikipedia.org/wiki/Help:Contents', 302, false],
    ['/a https://matrix.to/#/@ada:example.org', 'https://matrix.to/#/@ada:example.org', 302, false],
    ['/a /urn:isbn:0451450523', '/urn:isbn:0451450523', 302, false],
    ['\n# comment\n   \n  /a /b', '/b', 302, false],
  ])('reads the line %j as a rule to %s with the status %i', (line, to, status, isForced) => {
    expect(parse(line)).toEqual([{ from: { parts: ['/a'] }, to, status, isForced }])
  })
})

describe('_redirects: refuses', () => {
  it.each([
    ['/a', 'a rule has the form /from /to [status].'],
    ['/a /b 301 302', 'a rule has the form /from /to [status].'],
    ['/a # /b', 'a rule has the form /from /to [status].'],
    ['/a /b 410', 'the status must be one of 301, 302, 303, 307, 308, 200, 404, not 410.'],
    ['/a /b 99999999999', 'the status must be one of 301, 302, 303, 307, 308, 200, 404, not 99999999999.'],
    ['/a id=:id /b/:id', 'conditions, query parameters and other options are not supported: /b/:id.'],
    ['/a /b 302 Country=us', 'conditions, query parameters and other options are not supported: Country=us.'],
    ['a /b', 'a path must begin with one slash and have no host, not a.'],
    ['https://x.example/a /b', 'a path must begin with one slash and have no host, not https://x.example/a.'],
    ['//x.example/a /b', 'a path must begin with one slash and have no host, not //x.example/a.'],
    ['/a?x=1 /b', 'a path has no query and no fragment, unlike /a?x=1.'],
    ['/*/* /b', 'a path may have one asterisk, unlike /*/*.'],
    ['/*/b /c', 'in _redirects the asterisk must be the last character of a path, unlike in /*/b.'],
    ['/*/:x /c', 'placeholders must come before the asterisk, unlike in /*/:x.'],
    ['/:x* /c', 'a placeholder is a whole segment of letters, digits and underscores such as /:id, not :x.'],
    ['/:1 /c', 'a placeholder is a whole segment of letters, digits and underscores such as /:id, not :1.'],
    ['/:x/:x /c', 'the name :x is used twice, or is that of the asterisk.'],
    ['/:splat/* /c', 'the name :splat is used twice, or is that of the asterisk.'],
    [`${placeholders(11)} /c`, 'at most 10 placeholders are supported in a path.'],
    ['/%zz /c', 'a percent-escape is invalid in %zz.'],
    ['/a //evil.example', 'a target begins with one slash, or with https:// or http://.'],
    ['/a /\\evil.example', 'a target begins with one slash, or with https:// or http://.'],
    ['/a javascript:alert(1)', 'a target must be a path or a URL with https or http, not javascript:alert(1).'],
    ['/a ftp://example.com', 'a target must be a path or a URL with https or http, not ftp://example.com.'],
    ['/a https://', 'a target must be a path or a URL with https or http, not https://.'],
    ['/a https://user@example.com', 'the host of a target has no user and no placeholder.'],
    ['/:x https://:x/', 'a target must be a path or a URL with https or http, not https://:x/.'],
    ['/:x https://a:x/', 'a target must be a path or a URL with https or http, not https://a:x/.'],
    ['/:x https://a\\:x/', 'the host of a target has no user and no placeholder.'],
    [
      '/* https://example.com/:splat 200',
      'status 200 needs a path of this site as its target: svc does not fetch from other servers.',
    ],
    [
      '/a https://x.example/ 404',
      'status 404 needs a path of this site as its target: svc does not fetch from other servers.',
    ],
    ['/a /b?c 200', 'the target of a rule with status 200 is a file: without ? and #.'],
    ['/a /b#c 404', 'the target of a rule with status 404 is a file: without ? and #.'],
    [
      '/a /b/:splat',
      'the target uses :splat, but the path before it has no such placeholder; a colon that begins no placeholder is %3A there.',
    ],
    [
      '/:a /b/:b',
      'the target uses :b, but the path before it has no such placeholder; a colon that begins no placeholder is %3A there.',
    ],
    ['/a /a', 'this rule redirects a path to itself.'],
    ['/a /a/?x=1', 'this rule redirects a path to itself.'],
    ['/a\0 /b', 'control characters are not supported.'],
    [`/a /${'b'.repeat(2000)}`, 'a line has at most 2000 characters, not 2004.'],
  ])('refuses the line %j', (line, problem) => {
    expect(() => parse(`/ok /fine\n${line}`)).toThrow(
      new ApiError('bad_request', `archive: _redirects, line 2: ${problem}`),
    )
  })

  it('refuses the 101st rule with an asterisk and the 2,001st without', () => {
    const lines = (count: number, from: (n: number) => string) =>
      Array.from({ length: count }, (_, n) => `${from(n)} /to\n`).join('')
    const most = lines(100, (n) => `/d${n}/*`) + lines(2000, (n) => `/s${n}`)
    expect(parse(most)).toHaveLength(2100)
    expect(() => parse(`${most}/x/* /to`)).toThrow('line 2101: at most 100 rules may have placeholders or an asterisk.')
    expect(() => parse(`${most}/x /to`)).toThrow('line 2101: at most 2000 rules without placeholders')
  })
})

describe('_redirects: a request gets', () => {
  it.each<[string, string, string | undefined]>([
    ['/a /b', '/a', '302 /b'],
    ['/a /b', '/a/', '302 /b'],
    ['/a/ /b', '/a', '302 /b'],
    ['/a /b', '/A', undefined],
    ['/a /b', '/a/c', undefined],
    ['/ /home', '/', '302 /home'],
    ['/caf%C3%A9 /b', '/café', '302 /b'],
    ['/cafe\u0301 /b', '/café', '302 /b'],
    ['/blog/* /news/:splat', '/blog/2026/a b', '302 /news/2026/a%20b'],
    ['/blog/* /news/:splat', '/blog', '302 /news/'],
    ['/blog/* /news/:splat', '/blog/', '302 /news/'],
    ['/blog/* /news/:splat', '/blogs/a', undefined],
    ['/* /:splat', '//evil.example', '302 /evil.example'],
    ['/x/* /:splat', '/x//evil.example/a', '302 /evil.example/a'],
    ['/x/* /:splat', '/x/\\evil.example', '302 /%5Cevil.example'],
    ['/x/* /:splat/evil.example', '/x/', '302 /evil.example'],
    ['/x/* https://a.example/:splat', '/x/\r\nset-cookie: a', '302 https://a.example/%0D%0Aset-cookie%3A%20a'],
    ['/n/:y/:m /a-:y-:m', '/n/2026/11', '302 /a-2026-11'],
    ['/n/:y/:m /a-:y-:m', '/n/2026/11/', '302 /a-2026-11'],
    ['/n/:y/:m /a-:y-:m', '/n/2026', undefined],
    ['/n/:y/:m /a-:y-:m', '/n//11', undefined],
    ['/n/:y/x /:y', '/n/2026/x', '302 /2026'],
    ['/n/:y/x /:y', '/n/2026/z', undefined],
    ['/:a/* /:a?rest=:splat', '/b/c/d', '302 /b?rest=c/d'],
    ['/a /first\n/a /second', '/a', '302 /first'],
    ['/* /all\n/a /a-only', '/a', '302 /all'],
    ['/a /a-only\n/* /all', '/a', '302 /a-only'],
    ['/b /a-only\n/* /all', '/a', '302 /all'],
    ['/app/* /index.html 200', '/app/x', '200 /index.html'],
    ['/app/* /gone.html 404!', '/app/x', '404! /gone.html'],
    ['/:constructor /x', '/y', '302 /x'],
    ['/a /Help:constructor', '/a', '302 /Help:constructor'],
    ['/w/:page https://w.example/Help:Contents/:page', '/w/b:c', '302 https://w.example/Help:Contents/b%3Ac'],
    ['/:id /item:id', '/5', '302 /item5'],
    ['/x/* /y/:splat', '/x/a%2F..%5c%2525', '302 /y/a%2F..%5c%252525'],
    [`${placeholders(10)} /:p9`, '/0/1/2/3/4/5/6/7/8/9', '302 /9'],
  ])('with the rules %j, GET %s gets %s', (rules, path, expected) => {
    expect(answer(rules, path)).toBe(expected)
  })

  it.each([
    ['/a /b', '302 /b?x=1'],
    ['/a /b?y=2', '302 /b?y=2'],
    ['/a /b#part', '302 /b?x=1#part'],
    ['/a /b#part?', '302 /b?x=1#part?'],
    ['/a https://a.example', '302 https://a.example?x=1'],
  ])('with the rule %s, the query ?x=1 gets %s', (rules, expected) => {
    expect(answer(rules, '/a', '?x=1')).toBe(expected)
  })

  it('a path that almost matches 100 rules is answered within milliseconds', () => {
    const rules = Array.from({ length: 100 }, (_, n) => `/:a/:b/x/y${n} /to`).join('\n')
    const matcher = new RuleMatcher(parseRules({ redirects: rules }))
    const path = `/${'a/'.repeat(8000)}`
    const startedAt = process.cpuUsage()
    for (let n = 0; n < 100; n++) matcher.redirectFor(path)
    expect(process.cpuUsage(startedAt).user / 1000).toBeLessThan(2_000)
  })
})

it('encodePath keeps slashes and encodes everything that a header or a host could be made of', () => {
  expect(encodePath('/a b/ü\r\n?#%')).toBe('/a%20b/%C3%BC%0D%0A%3F%23%25')
})
