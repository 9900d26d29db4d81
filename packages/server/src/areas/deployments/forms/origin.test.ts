import { describe, expect, it } from 'vitest'
import { checkNext, corsHeaders } from './origin.js'

const site = 'https://example.com'
const listed = 'https://other.example/thanks?a=1'
const options = { next_urls: [listed], origins: [] }

describe('_next', () => {
  it.each([
    ['https://example.com/thanks', site, 'https://example.com/thanks'],
    ['/thanks', site, 'https://example.com/thanks'],
    ['thanks?a=1#b', site, 'https://example.com/thanks?a=1#b'],
    ['//example.com/thanks', site, 'https://example.com/thanks'],
    ['HTTPS://EXAMPLE.com:443/ü', site, 'https://example.com/%C3%BC'],
    ['http://localhost:3000/x', 'http://localhost:3000', 'http://localhost:3000/x'],
    [listed, site, listed],
    [listed, undefined, listed],
    [listed, 'null', listed],
    [listed, 'https://third.example', listed],
  ])('%s from %s leads to %s', (next, origin, location) => {
    expect(checkNext(next, origin, options)).toBe(location)
  })

  it.each<[string, string | undefined]>([
    ['https://evil.example/', site],
    ['//evil.example/', site],
    ['/\\evil.example/', site],
    ['\\\\evil.example/', site],
    ['https:evil.example', site.replace('https', 'http')],
    ['https://example.com.evil.example/', site],
    ['https://example.com@evil.example/', site],
    ['https://ada:secret@example.com/', site],
    ['https://example.com:8443/', site],
    ['http://example.com/', site],
    ['https://www.example.com/', site],
    ['javascript:alert(1)', site],
    ['JaVaScRiPt:alert(1)', site],
    ['data:text/html,x', site],
    ['data:text/html,x', 'null'],
    ['javascript:alert(1)', 'null'],
    ['file:///etc/passwd', 'null'],
    ['blob:https://example.com/1', site],
    ['ftp://example.com/', site],
    ['https://', site],
    ['/thanks', undefined],
    ['/thanks', 'null'],
    ['https://example.com/', undefined],
    ['https://example.com/', 'example.com'],
    ['https://other.example/thanks', site],
    ['https://other.example/thanks?a=1&b=2', site],
    ['https://other.example/', site],
    ['\thttps://evil.example/', site],
    ['https://evil.example/\r\nSet-Cookie: a=b', site],
  ])('400 for _next %j from %s', (next, origin) => {
    expect(() => checkNext(next, origin, options)).toThrow('_next must be a page of the site that sends the form')
  })

  it('_next has no characters that end a header', () => {
    expect(checkNext('/a\r\nb', site, options)).toBe('https://example.com/ab')
  })
})

describe('origins', () => {
  it.each([undefined, 'null', site, 'anything'])('without a list, %s may send the form', (origin) => {
    expect(corsHeaders(options, origin)).toEqual({ 'access-control-allow-origin': '*' })
  })

  it.each([site, 'https://EXAMPLE.com', 'https://example.com:443'])('%s is listed', (origin) => {
    expect(corsHeaders({ ...options, origins: [site] }, origin)).toEqual({
      'access-control-allow-origin': site,
      vary: 'Origin',
    })
  })

  it.each([undefined, 'null', '', 'http://example.com', 'https://example.com.evil.example', 'https://www.example.com'])(
    '403 for %s, which is not listed',
    (origin) => {
      expect(() => corsHeaders({ ...options, origins: [site] }, origin)).toThrow('cannot be sent from this site')
    },
  )
})
