import { expect, it } from 'vitest'
import { readConfig } from '../config/config.js'
import { baseUrlOf, contentUrlOf } from './base-urls.js'

it.each([
  [{}, 'http://127.0.0.1:8080', 'http://content.localhost:8080'],
  [{ SVC_PORT: '80' }, 'http://127.0.0.1:80', 'http://content.localhost'],
  [{ SVC_PORT: '0' }, 'http://127.0.0.1:0', 'http://content.localhost:0'],
  [{ SVC_HOST: '::1', SVC_SITES_DOMAIN: 'lan' }, 'http://[::1]:8080', 'http://content.lan:8080'],
  [
    { SVC_PUBLIC_URL: 'https://api.example.com', SVC_SITES_DOMAIN: 'example.net' },
    'https://api.example.com',
    'https://content.example.net',
  ],
  [
    { SVC_PUBLIC_URL: 'https://[2001:db8::1]:8443', SVC_SITES_DOMAIN: 'example.net' },
    'https://[2001:db8::1]:8443',
    'https://content.example.net:8443',
  ],
])('%o: the API is at %s, the content host at %s', (env, baseUrl, contentUrl) => {
  const config = readConfig({ env })
  expect([baseUrlOf(config), contentUrlOf(config)]).toEqual([baseUrl, contentUrl])
})
