import { expect, it } from 'vitest'
import { readConfig } from '../config/config.js'
import { settingConflicts } from './setting-conflicts.js'

const conflicts = (env: Record<string, string>) => settingConflicts(readConfig({ env }))

it.each([
  {},
  { SVC_PUBLIC_URL: 'http://localhost:8080' },
  { SVC_PUBLIC_URL: 'http://127.0.0.1:8080' },
  { SVC_PUBLIC_URL: 'http://[::1]:8080', SVC_HOST: '::1' },
  { SVC_PUBLIC_URL: 'https://api.example.com', SVC_SITES_DOMAIN: 'example.net', SVC_TRUST_PROXY: 'loopback' },
  {
    SVC_PUBLIC_URL: 'https://api.example.com',
    SVC_SITES_DOMAIN: 'example.net',
    SVC_TLS_PORT: '443',
    SVC_TLS_CERT: '/',
  },
  { SVC_GEO_HEADER: 'CF-IPCountry', SVC_TRUST_PROXY: 'loopback' },
  { SVC_EDGE: 'varnish+http://127.0.0.1:6081' },
  { SVC_EDGE: 'varnish+http://192.0.2.1:8080' },
])('%j work together', (env) => {
  expect(conflicts(env)).toEqual([])
})

it.each([
  [
    { SVC_PUBLIC_URL: 'http://content.example.com', SVC_SITES_DOMAIN: 'example.com' },
    /^SVC_PUBLIC_URL has the host of share links, content\.example\.com/,
  ],
  [{ SVC_PUBLIC_URL: 'http://api.example.com' }, /^Share links have the host content\.localhost, which other machines/],
  [
    { SVC_PUBLIC_URL: 'https://api.example.com', SVC_SITES_DOMAIN: 'example.net' },
    /^SVC_PUBLIC_URL has https, .* SVC_TRUST_PROXY is empty/,
  ],
  [{ SVC_GEO_HEADER: 'CF-IPCountry' }, /^SVC_GEO_HEADER is cf-ipcountry, but is never read/],
  [{ SVC_EDGE: 'varnish+http://127.0.0.1:8080' }, /^SVC_EDGE is the address of svc itself/],
  [{ SVC_EDGE: 'varnish+http://[::1]', SVC_HOST: '::1', SVC_PORT: '80' }, /^SVC_EDGE is the address of svc itself/],
])('%j do not work together', (env, sentence) => {
  expect(conflicts(env)).toEqual([expect.stringMatching(sentence)])
})
