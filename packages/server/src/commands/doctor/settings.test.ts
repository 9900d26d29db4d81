import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { findingsOf } from '../../../test/findings.js'
import { settingsCheck } from './settings.js'

/** Settings without a finding. */
const good = {
  SVC_PUBLIC_URL: 'https://api.example.com',
  // A suffix of the Public Suffix List.
  SVC_SITES_DOMAIN: 'github.io',
  SVC_TRUST_PROXY: 'loopback',
  SVC_NAMESERVERS: 'ns1.example.net,ns2.example.net',
}

it.each<[Record<string, string>, RegExp]>([
  [{}, /^ok All settings are valid and work together\.$/],
  [
    { SVC_GEO_HEADER: 'X-Country', SVC_TRUST_PROXY: '' },
    /^error .*SVC_TRUST_PROXY is empty.*,error SVC_GEO_HEADER is x-c/,
  ],
  [{ SVC_PROT: '80' }, /^warning SVC_PROT is set, but it is not a setting: did you mean SVC_PORT\?$/],
  [{ SVC_QQQQQQQQ: '80' }, /^warning SVC_QQQQQQQQ is set, .*: svc serve --help lists all settings\.$/],
  [{ SVC_PUBLIC_URL: 'http://api.example.com' }, /^warning SVC_PUBLIC_URL is http:\/\/api\.example\.com, so tokens/],
  [{ SVC_PUBLIC_URL: 'http://127.0.0.1:8080' }, /^ok All/],
  [{ SVC_PUBLIC_URL: '', SVC_HOST: '0.0.0.0' }, /^warning SVC_PUBLIC_URL is not set, but svc listens on 0\.0\.0\.0/],
  [{ SVC_PUBLIC_URL: '', SVC_HOST: '::1' }, /^ok All/],
  [
    { SVC_NAMESERVERS: '' },
    /^warning SVC_NAMESERVERS is ns1\.localhost,ns2\.localhost, which the public DNS cannot have/,
  ],
  [{ SVC_PUBLIC_URL: '', SVC_SITES_DOMAIN: 'localhost' }, /^ok All/],
  [{ SVC_PUBLIC_URL: 'https://github.io' }, /^ok All/],
  [
    { SVC_SITES_DOMAIN: 'pages.example.net' },
    /^warning SVC_SITES_DOMAIN, pages\.example\.net, is not on the Public S(?!.*,warning)/,
  ],
  [
    { SVC_SITES_DOMAIN: 'pages.example.com' },
    /^warning SVC_SITES_DOMAIN, pages\.example\.com, shares example\.com with SVC_PUBLIC_URL: .*,warning .* is not on the/,
  ],
  [{ SVC_SITES_DOMAIN: 'example.com', SVC_PUBLIC_URL: 'https://example.com' }, /^warning .* shares example\.com with/],
  [
    { SVC_SITES_DOMAIN: 'sites.github.io', SVC_PUBLIC_URL: 'https://sites.github.io' },
    /^warning .* shares sites\.github\.io/,
  ],
  [{ SVC_NAMESERVERS: 'ns1.example.net' }, /^warning SVC_NAMESERVERS has one name, ns1\.example\.net: /],
  [
    { SVC_NAMESERVERS: 'a.example.net,b.example.net,a.example.net' },
    /^warning SVC_NAMESERVERS has the same name twice\.$/,
  ],
])('reports the settings %j', async (change, found) => {
  expect((await findingsOf(settingsCheck, { ...good, ...change })).join()).toMatch(found)
})

describe.each(['docs/public-server.md', 'docs/tls.md'])('the settings of %s for HTTPS by itself', (path) => {
  const document = readFileSync(new URL(`../../../../../${path}`, import.meta.url), 'utf8')
  const block = Array.from(document.matchAll(/^```sh\n((?:SVC_.*\n)+)```$/gm), ([, text = '']) => text).find((text) =>
    text.includes('SVC_ACME=on'),
  )
  const env = Object.fromEntries((block ?? '').split('\n').map((line) => line.split('=', 2) as [string, string]))

  it('name all that a server needs, and only the Public Suffix List is left to do', async () => {
    expect(Object.keys(env)).toEqual(
      expect.arrayContaining([
        'SVC_PUBLIC_URL',
        'SVC_SITES_ADDRESSES',
        'SVC_NAMESERVERS',
        'SVC_DNS_HOST',
        'SVC_DNS_PORT',
      ]),
    )
    expect(await findingsOf(settingsCheck, env)).toEqual([
      expect.stringMatching(/^warning SVC_SITES_DOMAIN, example\.net, is not on the Public Suffix List/),
    ])
  })
})
