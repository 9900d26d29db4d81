import { describe, expect, it } from 'vitest'
import { queryOf, rawPathOf, readPath } from './site-path.js'

describe('the path of a file is decoded once', () => {
  it.each<[string, string]>([
    ['/', '/'],
    ['/a/b.html', '/a/b.html'],
    ['/a/', '/a/'],
    ['/a%20b', '/a b'],
    ['/caf%C3%A9', '/café'],
    ['/cafe%CC%81', '/café'],
    ['/%2525', '/%25'],
    ['/a%3Fb', '/a?b'],
    ['http://docs.localhost/a', '/a'],
    ['http://docs.localhost', '/'],
    ['', '/'],
    [`/${'a'.repeat(3072)}`, `/${'a'.repeat(3072)}`],
    ['/.well-known/x', '/.well-known/x'],
    ['/a/.Well-Known', '/a/.Well-Known'],
  ])('the path %j is decoded to %j', (raw, path) => {
    expect(readPath(raw)).toEqual({ path, canBeFile: true, isCut: false })
  })
})

describe('a path that no file can have is readable for rules', () => {
  it.each<[string, string]>([
    ['*', '/*'],
    ['/%', '/%'],
    ['/%zz', '/%zz'],
    ['/%C3', '/%C3'],
    ['/%c0%ae', '/%c0%ae'],
    ['/..', '/..'],
    ['/../etc/passwd', '/../etc/passwd'],
    ['/a/..', '/a/..'],
    ['/a/../b', '/a/../b'],
    ['/a/./b', '/a/./b'],
    ['/%2e%2e/a', '/../a'],
    ['/.%2E/a', '/../a'],
    ['/%2e', '/.'],
    ['/a%2Fb', '/a%2Fb'],
    ['/a%2f..%2fb', '/a%2f..%2fb'],
    ['/a%5Cb', '/a%5Cb'],
    ['/a\\b', '/a\\b'],
    ['/%00', '/\0'],
    ['/a%0D%0Ab', '/a\r\nb'],
    ['/%7f', '/\x7f'],
    ['//', '//'],
    ['//evil.example', '//evil.example'],
    ['/a//b', '/a//b'],
    ['/a//', '/a//'],
    ['/...', '/...'],
    ['/.env', '/.env'],
    ['/.GIT/config', '/.GIT/config'],
    ['/a/.well-known2/b', '/a/.well-known2/b'],
    ['/.well-known/.env', '/.well-known/.env'],
  ])('the path %j cannot be a file, and is readable as %j', (raw, path) => {
    expect(readPath(raw)).toEqual({ path, canBeFile: false, isCut: false })
  })

  it('only the start of a path that is too long for a file is readable, neither decoded nor normalized', () => {
    expect(readPath(`/${'a'.repeat(3073)}`)).toEqual({ path: `/${'a'.repeat(3072)}`, canBeFile: false, isCut: true })
    const marks = `/a${'%CC%81'.repeat(10_900)}${'%CC%A3'.repeat(10_900)}`
    expect(readPath(marks).path).toBe(marks.slice(0, 3073))
  })
})

it.each([
  ['/a', '/a', ''],
  ['/a?', '/a', '?'],
  ['/a?b=c?d', '/a', '?b=c?d'],
  ['?x', '', '?x'],
])('%s has the path %s and the query %j', (target, path, query) => {
  expect([rawPathOf(target), queryOf(target)]).toEqual([path, query])
})
