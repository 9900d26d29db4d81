import { expect, it } from 'vitest'
import { contentPolicyOf } from './headers.js'

it.each([
  ['text/html; charset=utf-8', 'sandbox'],
  ['image/svg+xml', 'sandbox'],
  ['Image/SVG+XML', 'sandbox'],
  ['application/xml', 'sandbox'],
  ['text/plain', 'sandbox'],
  ['application/pdf;a=b, text/html', 'sandbox'],
  ['image/png, text/html', 'sandbox'],
  ['', 'sandbox'],
  ['image/png', 'sandbox allow-same-origin'],
  ['video/mp4; codecs="avc1"', 'sandbox allow-same-origin'],
  ['audio/wav', 'sandbox allow-same-origin'],
  ['Application/PDF', undefined],
])('%s: sandbox directive %s, and no script', (mediaType, sandbox) => {
  const directives = contentPolicyOf(mediaType).split('; ')
  expect(directives.find((directive) => directive.startsWith('sandbox'))).toBe(sandbox)
  expect(directives).toContain("default-src 'none'")
  expect(directives.filter((directive) => /script|connect|frame|worker/.test(directive))).toEqual([])
})
