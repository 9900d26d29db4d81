import { expect, it } from 'vitest'
import { checkOrigin, checkUrl } from './check-url.js'

it.each([
  ['https://example.com', 'https://example.com/'],
  ['http://EXAMPLE.com:80/a b?c=d#e', 'http://example.com/a%20b?c=d#e'],
  ['https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC'],
  [' https://example.com/\n', 'https://example.com/'],
  ['https://[2001:db8::1]/', 'https://[2001:db8::1]/'],
  [`https://example.com/${'a'.repeat(2028)}`, `https://example.com/${'a'.repeat(2028)}`],
])('%s is accepted', (given, url) => {
  expect(checkUrl('target', given)).toBe(url)
})

it.each([
  ['', 'must be an absolute URL'],
  ['example.com', 'must be an absolute URL'],
  ['//example.com', 'must be an absolute URL'],
  ['https://', 'must be an absolute URL'],
  ['https://exa mple.com', 'must be an absolute URL'],
  ['javascript:alert(1)', 'must be a URL of http or https, not "javascript:"'],
  ['data:text/html,x', 'must be a URL of http or https'],
  ['file:///etc/passwd', 'must be a URL of http or https'],
  ['ftp://example.com', 'must be a URL of http or https'],
  ['https://ada@example.com', 'must not contain a user name or a password'],
  ['https://:secret@example.com', 'must not contain a user name or a password'],
  [`https://example.com/${'a'.repeat(2029)}`, 'must have at most 2048 characters, not 2049'],
  [`https://example.com/${'ü'.repeat(1000)}`, 'must have at most 2048 characters, not 6020'],
])('%s is refused', (given, problem) => {
  expect(() => checkUrl('target', given)).toThrow(`target ${problem}`)
})

it.each([
  ['https://Example.com/', 'https://example.com'],
  ['https://example.com:8443', 'https://example.com:8443'],
  ['http://example.com:80', 'http://example.com'],
])('%s is the origin %s', (given, origin) => {
  expect(checkOrigin('origin', given)).toBe(origin)
})

it.each(['https://example.com/a', 'https://example.com/?a', 'https://example.com/#a', 'null', '*'])(
  '%s is not an origin',
  (given) => {
    expect(() => checkOrigin('origin', given)).toThrow(/^origin must be /)
  },
)
