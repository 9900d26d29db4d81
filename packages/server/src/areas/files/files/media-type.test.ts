import { expect, it } from 'vitest'
import { mediaTypeOf } from './media-type.js'

it.each([
  ['notes.txt', undefined, 'text/plain'],
  ['Photo.JPG', undefined, 'image/jpeg'],
  ['page.html', undefined, 'text/html'],
  ['archive.tar.gz', undefined, 'application/gzip'],
  ['README', undefined, 'application/octet-stream'],
  ['x.unknown-kind', undefined, 'application/octet-stream'],
  ['notes.txt', 'text/markdown; charset=utf-8', 'text/markdown; charset=utf-8'],
  ['notes.txt', 'application/octet-stream', 'application/octet-stream'],
])('%s, declared as %s: %s', (name, declared, type) => {
  expect(mediaTypeOf(name, declared)).toBe(type)
})
