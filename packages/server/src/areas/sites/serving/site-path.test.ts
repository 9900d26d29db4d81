import { describe, expect, it } from 'vitest'
import { decodePath, queryOf, rawPathOf } from './site-path.js'

describe('decodePath', () => {
  it.each<[string, string | undefined]>([
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
    ['/...', '/...'],
    ['*', undefined],
    ['', '/'],
    ['/%', undefined],
    ['/%zz', undefined],
    ['/%C3', undefined],
    ['/%c0%ae', undefined],
    ['/..', undefined],
    ['/../etc/passwd', undefined],
    ['/a/..', undefined],
    ['/a/../b', undefined],
    ['/a/./b', undefined],
    ['/%2e%2e/a', undefined],
    ['/.%2E/a', undefined],
    ['/%2e', undefined],
    ['/a%2Fb', undefined],
    ['/a%2f..%2fb', undefined],
    ['/a%5Cb', undefined],
    ['/a\\b', undefined],
    ['/%00', undefined],
    ['/a%0D%0Ab', undefined],
    ['/%7f', undefined],
    ['//', undefined],
    ['//evil.example', undefined],
    ['//evil.example/', undefined],
    ['/a//b', undefined],
    ['/a//', undefined],
    [`/${'a'.repeat(3072)}`, `/${'a'.repeat(3072)}`],
    [`/${'a'.repeat(3073)}`, undefined],
  ])('%j is %j', (raw, path) => {
    expect(decodePath(raw)).toBe(path)
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
