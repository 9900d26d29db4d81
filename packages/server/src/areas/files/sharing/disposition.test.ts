import { expect, it } from 'vitest'
import { dispositionOf } from './disposition.js'

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
