import { expect, it } from 'vitest'
import { parseUrl } from './parse-url.js'

it('parses a URL with letters beyond ASCII, also after many calls', () => {
  let parsed = 0
  for (let n = 0; n < 50_000; n++)
    if (parseUrl('https://bücher.example/')?.hostname === 'xn--bcher-kva.example') parsed++
  expect(parsed).toBe(50_000)
})

it('returns undefined for a text that is not a URL', () => {
  for (const text of ['', 'example.com', 'https://', 'http://[::1']) expect(parseUrl(text), text).toBeUndefined()
})

it('resolves a relative URL against a base', () => {
  expect(parseUrl('/thanks', 'https://example.com/form')?.href).toBe('https://example.com/thanks')
})
