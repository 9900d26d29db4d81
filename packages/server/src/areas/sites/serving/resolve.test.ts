import { describe, expect, it } from 'vitest'
import { RuleMatcher } from '../rules/matcher.js'
import { locationOf } from '../rules/redirects.js'
import { parseRules } from '../rules/rules.js'
import { ask, candidatesOf, resolve } from './resolve.js'
import { readPath } from './site-path.js'

/** The answer of a site with these files: a file with its status, or the target of a redirect. */
function answer(files: readonly string[], path: string, redirects = ''): string | undefined {
  const asked = ask(readPath(path), new RuleMatcher(parseRules({ redirects })))
  const candidates = candidatesOf(asked)
  const found = resolve(asked, (file) => {
    // The store is asked once, for all candidates.
    expect(candidates).toContain(file)
    return files.includes(file)
  })
  if (found === undefined) return undefined
  return 'file' in found
    ? `${found.status} ${found.file}`
    : `${found.rule.status} ${locationOf(found.rule, found.captures, '?q')}`
}

describe('without rules', () => {
  it.each<[string[], string, string | undefined]>([
    [['index.html'], '/', '200 index.html'],
    [['index.html'], '/index.html', '200 index.html'],
    [['index.html'], '/index', '200 index.html'],
    [[], '/', undefined],
    [['a.txt'], '/a.txt', '200 a.txt'],
    [['a.txt'], '/a.txt/', undefined],
    [['a.txt'], '/A.txt', undefined],
    [['about.html'], '/about', '200 about.html'],
    [['about.html'], '/about.html', '200 about.html'],
    [['about.html'], '/about/', '308 /about?q'],
    [['about/index.html'], '/about/', '200 about/index.html'],
    [['about/index.html'], '/about', '308 /about/?q'],
    [['about.html', 'about/index.html'], '/about', '200 about.html'],
    [['about.html', 'about/index.html'], '/about/', '200 about/index.html'],
    [['about', 'about.html'], '/about', '200 about'],
    [['ü b/index.html'], '/ü b', '308 /%C3%BC%20b/?q'],
    [['a:b/index.html'], '/a:b', '308 /a%3Ab/?q'],
    [['.html'], '/', undefined],
    [['.well-known/x'], '/.well-known/x', '200 .well-known/x'],
  ])('with the files %j, GET %s gets %s', (files, path, expected) => {
    expect(answer(files, path)).toBe(expected)
  })
})

describe('a path without a file', () => {
  it.each<[string[], string, string | undefined]>([
    [['404.html'], '/x', '404 404.html'],
    [['404.html'], '/a/b/x', '404 404.html'],
    [['404.html', 'a/404.html'], '/a/b/x', '404 a/404.html'],
    [['404.html', 'a/404.html'], '/a/', '404 a/404.html'],
    [['404.html', 'a/404.html'], '/a', '404 404.html'],
    [['200.html'], '/a/b/x', '200 200.html'],
    [['200.html', '404.html'], '/x', '404 404.html'],
    [['404.html'], '/404', '200 404.html'],
    [['404.html'], `/${'a/'.repeat(200)}`, '404 404.html'],
    [['index.html'], '/x', undefined],
    [['404.html'], '//x', '404 404.html'],
    [['404.html', 'a/404.html'], '/a//b', '404 a/404.html'],
    [['404.html', 'a/404.html'], '/a%2Fb', '404 404.html'],
    [['404.html'], '/%00', '404 404.html'],
    [['404.html'], `/${'a'.repeat(5_000)}`, '404 404.html'],
    [['200.html'], '/../x', '200 200.html'],
    [['.env', '404.html'], '/.env', '404 404.html'],
    [['.GIT/config', '404.html'], '/.GIT/config', '404 404.html'],
  ])('with the files %j, GET %s gets %s', (files, path, expected) => {
    expect(answer(files, path)).toBe(expected)
  })

  it.each(['a/', '/', 'a'.repeat(500) + '/'])('looks for few files, however deep or long the path of %j is', (part) => {
    const path = `/${part.repeat(100_000 / part.length)}`
    const candidates = candidatesOf(ask(readPath(path), new RuleMatcher({ headers: [], redirects: [] })))
    expect(candidates.length).toBeLessThan(40)
    expect(candidates.join('').length).toBeLessThan(10_000)
  })
})

describe('with rules', () => {
  const files = ['index.html', 'a.html', 'gone.html', '404.html', 'deep/index.html']
  it.each<[string, string, string]>([
    ['/old /new 301', '/old', '301 /new?q'],
    ['/a /new', '/a', '200 a.html'],
    ['/a /new 302!', '/a', '302 /new?q'],
    ['/deep /new', '/deep', '308 /deep/?q'],
    ['/* /index.html 200', '/any/path', '200 index.html'],
    ['/* /index.html 200', '/a', '200 a.html'],
    ['/* /index.html 200!', '/a', '200 index.html'],
    ['/* /index.html 200', `/${'a'.repeat(5_000)}`, '200 index.html'],
    ['/* /new 301', `/${'a'.repeat(5_000)}`, '301 /new?q'],
    // The captures of a path that is too long are not whole.
    ['/* /x/:splat 301', `/${'a'.repeat(5_000)}`, '404 404.html'],
    // A target of 20 kB is longer than a header may be.
    [`/* /x${'/:splat'.repeat(10)} 301`, `/${'a'.repeat(2_000)}`, '404 404.html'],
    ['/* /a 200', '/any', '200 a.html'],
    ['/* /deep 200', '/any', '200 deep/index.html'],
    ['/* / 200', '/any', '200 index.html'],
    ['/x/* /:splat 200', '/x/a', '200 a.html'],
    ['/x/* /missing 200', '/x/a', '404 404.html'],
    ['/x/* /gone.html 404', '/x/a', '404 gone.html'],
    ['/a /gone.html 404', '/a', '200 a.html'],
    ['/a /gone.html 404!', '/a', '404 gone.html'],
    ['/a /missing 200!', '/a', '200 a.html'],
    ['/x/:y /%2e%2e/:y 200', '/x/a', '404 404.html'],
    ['/* /index.html 200', '//x', '200 index.html'],
    ['/x/* /:splat 200', '/x/.env', '404 404.html'],
    ['/x/* /y/:splat', '/x/a%2F..%2fb', '302 /y/a%2F..%2fb?q'],
    ['/x/* /y/:splat', '/x//b', '302 /y//b?q'],
  ])('with the rule %s, GET %s gets %s', (redirects, path, expected) => {
    expect(answer(files, path, redirects)).toBe(expected)
  })
})
