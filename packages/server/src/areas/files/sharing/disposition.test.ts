import { expect, it } from 'vitest'
import { dispositionOf, typeForBrowsers } from './disposition.js'

it.each([
  'text/plain',
  'Text/Plain; charset=utf-8',
  'image/png',
  'image/jpeg',
  'application/pdf',
  'video/mp4',
  'audio/ogg; codecs=opus',
])('a browser shows %s', (type) => {
  expect(dispositionOf(type)).toBe('inline')
})

it.each([
  'text/html',
  'TEXT/HTML; charset=utf-8',
  'image/svg+xml',
  'application/xhtml+xml',
  'text/xml',
  'application/xml',
  'text/javascript',
  'application/octet-stream',
  'multipart/related',
  'text/html;text/plain',
  'x/text/plain',
])('a browser only saves %s', (type) => {
  expect(dispositionOf(type)).toBe('attachment')
})

it.each([
  ['text/plain', 'text/plain; charset=utf-8'],
  ['Text/CSV; header=present', 'Text/CSV; header=present; charset=utf-8'],
  ['text/plain; charset=iso-8859-1', 'text/plain; charset=iso-8859-1'],
  ['text/plain; Charset="utf-16"', 'text/plain; Charset="utf-16"'],
  ['application/json', 'application/json'],
])('a browser gets %s as %s', (type, shown) => {
  expect(typeForBrowsers(type)).toBe(shown)
})
