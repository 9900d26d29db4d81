import { describe, expect, it } from 'vitest'
import { Destinations } from './destinations.js'

const local = { content: 'content.localhost', sitesDomain: 'localhost', publicUrl: undefined }
const online = { content: 'content.sites.example', sitesDomain: 'sites.example', publicUrl: 'https://api.example' }
/** The API is below the sites domain. */
const nested = { content: 'content.a.example', sitesDomain: 'a.example', publicUrl: 'https://svc.a.example:8443' }

const shown = (hosts: typeof local | typeof online, host: string | undefined, url = '/') => {
  const destination = new Destinations(hosts).of({ url, headers: host === undefined ? {} : { host } })
  return 'host' in destination ? `${destination.part} ${destination.host}` : destination.part
}

describe('with the sites domain localhost', () => {
  it.each([
    ['localhost', 'api'],
    ['localhost:8080', 'api'],
    ['127.0.0.1:8080', 'api'],
    ['[::1]:8080', 'api'],
    ['svc', 'api'],
    ['svc_api:8080', 'api'],
    ['', 'api'],
    ['content.localhost', 'content'],
    ['Content.Localhost.:8080', 'content'],
    ['docs.localhost', 'site docs.localhost'],
    ['DOCS.localhost.:8080', 'site docs.localhost'],
    ['docs.localhost:', 'site docs.localhost'],
    ['a.docs.localhost', 'site a.docs.localhost'],
    ['.localhost', 'api'],
    ['user@docs.localhost', 'api'],
    ['docs.localhost:80:80', 'api'],
    ['docs.localhost:x', 'api'],
    ['docs.localhost..', 'api'],
    ['www.example.com', 'unknown www.example.com'],
    ['xlocalhost', 'api'],
    ['docs.localhost/v1', 'api'],
    [`${'a'.repeat(300)}.localhost`, 'api'],
  ])('with the sites domain localhost, Host: %s leads to %s', (host, expected) => {
    expect(shown(local, host)).toBe(expected)
  })
})

it.each([
  ['api.example', 'api'],
  ['API.example.:443', 'api'],
  ['sites.example', 'api'],
  ['docs.sites.example', 'site docs.sites.example'],
  ['content.sites.example', 'content'],
  ['localhost', 'api'],
  ['docs.localhost', 'unknown docs.localhost'],
  ['other.example', 'unknown other.example'],
])('with the sites domain sites.example, Host: %s leads to %s', (host, expected) => {
  expect(shown(online, host)).toBe(expected)
})

it('no site has the host of the public URL', () => {
  expect(shown(nested, 'svc.a.example')).toBe('api')
  expect(shown(nested, 'docs.a.example')).toBe('site docs.a.example')
})

it.each([
  ['http://docs.localhost/v1', 'site docs.localhost'],
  ['HTTPS://docs.localhost?x', 'site docs.localhost'],
  ['http://127.0.0.1/', 'api'],
  ['http://user@docs.localhost/', 'api'],
  ['*', 'site other.localhost'],
])('the target %s overrides the header Host', (url, expected) => {
  expect(shown(local, 'other.localhost', url)).toBe(expected)
})

it('a request without the header Host is for the API', () => {
  expect(shown(local, undefined, 'http://docs.localhost/')).toBe('api')
})

it('decides in the same way for thousands of spellings', () => {
  const destinations = new Destinations(local)
  for (let n = 0; n < 3_000; n++) {
    const headers = { host: `site-${n}.localhost` }
    expect(destinations.of({ url: '/', headers })).toEqual({ part: 'site', host: `site-${n}.localhost` })
  }
  expect(destinations.of({ url: '/', headers: { host: 'localhost' } })).toEqual({ part: 'api' })
})
