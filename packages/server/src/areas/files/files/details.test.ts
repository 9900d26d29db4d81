import { ApiError } from '@svc/contract'
import { describe, expect, it } from 'vitest'
import { mediaTypeOf } from './details.js'
import { checkName } from './name.js'

const invisible = 'name must not contain control characters or invisible format characters.'
const slashes = 'name must not contain slashes or backslashes: files have no folders.'
const folder = 'name must not be . or .., which name folders.'
const space = 'name must not begin or end with a space.'
const dot = 'name must not end with a dot, which Windows removes.'
const reserved =
  'name must not contain < > : " | ? or *, which Windows refuses: use letters, digits, spaces and other punctuation.'
const device =
  'name must not be a Windows device name (CON, NUL, COM1), with or without an extension: _CON.txt is accepted.'

describe('checkName', () => {
  it.each([
    'notes.txt',
    'Übersicht 2026 (final).pdf',
    '.gitignore',
    '...a',
    'a..b',
    'no extension',
    '日本語.txt',
    'می\u200cخواهم.txt',
    '👩‍🚀.png',
    "it's (100%) [x] {y}; a=b, c+d & #1 @2 ~3 ^4 $5 !6 `7`.txt",
    '“quoted” 12：30？.txt',
    'CONSOLE.txt',
    'con-1.txt',
    'con a.txt',
    '_CON.txt',
    'a.con',
    'CONIN',
    'CONIN$1',
    'conout.txt',
    'com10',
    'COM⁴.txt',
    'auxiliary.log',
    'lpt.txt',
    'x'.repeat(255),
    'ü'.repeat(127),
  ])('accepts %j', (name) => {
    expect(checkName(name)).toBe(name)
  })

  it.each<readonly [name: string, message: string]>([
    ['', 'name must not be empty.'],
    ['x'.repeat(256), 'name must have at most 255 bytes in UTF-8, not 256.'],
    ['ü'.repeat(128), 'name must have at most 255 bytes in UTF-8, not 256.'],
    ...['a/b', '/', '\\', '..\\a', '../a'].map((name) => [name, slashes] as const),
    ...['.', '..'].map((name) => [name, folder] as const),
    ...[' a', 'a ', '\u00a0a', 'a\u3000', ' '].map((name) => [name, space] as const),
    ...['a.', 'a..', '...'].map((name) => [name, dot] as const),
    ...['a:b.txt', '<b>.txt', 'a>b', 'say "hi".txt', 'a|b', 'why?', '*.txt', 'C:', 'a:', 'nul:'].map(
      (name) => [name, reserved] as const,
    ),
    ...['CON', 'con', 'Nul.txt', 'aux.tar.gz', 'PRN.', 'COM1', 'com0.log', 'lpt9'].map(
      (name) => [name, name.endsWith('.') ? dot : device] as const,
    ),
    ...['COM\u00b9', 'COM\u00b9.txt', 'com\u00b2.txt', 'LPT\u00b3.log', 'lpt\u00b9'].map(
      (name) => [name, device] as const,
    ),
    ...['con .txt', 'NUL   .tar.gz', 'COM1 .', 'lpt\u00b2 .a'].map(
      (name) => [name, name.endsWith('.') ? dot : device] as const,
    ),
    ...['CONIN$', 'conout$', 'ConIn$.txt', 'CONOUT$ .log'].map((name) => [name, device] as const),
    ...['a\0', 'a\nb', '\r', '\t', '\u001b[31m', '\u007f', '\u0085', '\u2028', '\u200b', '\u202e', '\ufeff'].map(
      (name) => [name, invisible] as const,
    ),
  ])('400 bad_request for %j', (name, message) => {
    expect(() => checkName(name)).toThrow(new ApiError('bad_request', message))
  })
})

describe('mediaTypeOf', () => {
  it.each([
    ['notes.txt', undefined, 'text/plain'],
    ['Photo.JPG', undefined, 'image/jpeg'],
    ['page.html', undefined, 'text/html'],
    ['archive.tar.gz', undefined, 'application/gzip'],
    ['README', undefined, 'application/octet-stream'],
    ['x.unknown-kind', undefined, 'application/octet-stream'],
    ['notes.txt', 'text/markdown; charset=utf-8', 'text/markdown; charset=utf-8'],
    ['notes.txt', 'application/octet-stream', 'application/octet-stream'],
  ])('%s, declared as %s, has the media type %s', (name, declared, type) => {
    expect(mediaTypeOf(name, declared)).toBe(type)
  })
})
