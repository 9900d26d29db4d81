import { describe, expect, it } from 'vitest'
import { contentHostOf, hostMatcher } from './content-host.js'

const matches = hostMatcher(contentHostOf('sites.example'))
const own = 'content.sites.example'

describe('a request is for the content host', () => {
  it.each([own, 'Content.SITES.Example', `${own}:8080`, `${own}.`, `${own}.:443`, `${own}:`])(
    'a request with Host: %s is for the content host',
    (host) => {
      expect(matches({ url: '/s/a/b', headers: { host } })).toBe(true)
    },
  )

  it('a request is for the content host if its target names it: the target overrides the header Host (RFC 9112, section 3.2.2)', () => {
    expect(matches({ url: `http://${own}:8080/s/a/b`, headers: { host: 'api.example' } })).toBe(true)
    expect(matches({ url: `HTTP://${own}`, headers: { host: 'api.example' } })).toBe(true)
  })
})

describe('a request is for the API', () => {
  it.each([
    'sites.example',
    'localhost',
    `x.${own}`,
    `x${own}`,
    'contentxsites.example',
    `${own}..`,
    `${own}:80:80`,
    `${own}:http`,
    `user@${own}`,
    `${own}@user`,
    `${own}/s`,
    ` ${own}`,
    `${own},${own}`,
    `[${own}]`,
    '127.0.0.1:8080',
    '',
  ])('a request with Host: %s is for the API', (host) => {
    expect(matches({ url: '/s/a/b', headers: { host } })).toBe(false)
  })

  it('a request without a header Host, as in HTTP/1.0, is for the API', () => {
    expect(matches({ url: '/s/a/b', headers: {} })).toBe(false)
    expect(matches({ url: `http://${own}/s/a/b`, headers: {} })).toBe(false)
  })

  it.each([`http://api.example/s/a/b`, `http://user@${own}/`, `http://${own}@api.example/`, 'http:///s/a/b'])(
    'a request is for the API if its target is %s, although the header Host names the content host',
    (url) => {
      expect(matches({ url, headers: { host: own } })).toBe(false)
    },
  )

  it('a request with a very long Host is for the API, in linear time', () => {
    const from = process.cpuUsage()
    expect(matches({ url: '/', headers: { host: `content.${'a'.repeat(60_000)}:${'1'.repeat(60_000)}x` } })).toBe(false)
    expect(process.cpuUsage(from).user / 1000).toBeLessThan(20)
  })
})
