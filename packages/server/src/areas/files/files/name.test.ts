import { ApiError } from '@svc/contract'
import { describe, expect, it } from 'vitest'
import { checkName } from './name.js'

const invisible = 'name must not contain control characters or invisible format characters.'
const slashes = 'name must not contain slashes or backslashes: files have no folders.'
const folder = 'name must not be . or .., which name folders.'
const space = 'name must not begin or end with a space.'
const dot = 'name must not end with a dot, which Windows removes.'
const device = 'name must not be the name of a device on Windows (CON, NUL, COM1), also not with an extension.'

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
    `it's "quoted"; 100% <b>&.txt`,
    'CONSOLE.txt',
    'com10',
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
    ...['CON', 'con', 'Nul.txt', 'aux.tar.gz', 'PRN.', 'COM1', 'com0.log', 'lpt9', 'COM\u00b9.txt'].map(
      (name) => [name, name.endsWith('.') ? dot : device] as const,
    ),
    ...['a\0', 'a\nb', '\r', '\t', '\u001b[31m', '\u007f', '\u0085', '\u2028', '\u200b', '\u202e', '\ufeff'].map(
      (name) => [name, invisible] as const,
    ),
  ])('400 bad_request for %j', (name, message) => {
    expect(() => checkName(name)).toThrow(new ApiError('bad_request', message))
  })
})
