import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { findingsOf } from '../../../test/findings.js'
import { testAuthority } from '../../../test/test-authority.js'
import { certificatesCheck } from './certificates.js'

const authority = testAuthority()
afterAll(() => authority.remove())
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-doctor-tls-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const store = (name: string, ...texts: string[]) => writeFileSync(join(folder, name), texts.join(''))
const find = () =>
  findingsOf(certificatesCheck, {
    SVC_TLS_PORT: '443',
    SVC_TLS_CERT: folder,
    SVC_PUBLIC_URL: 'https://api.example.com',
    SVC_SITES_DOMAIN: 'example.net',
  })
const all = ['api.example.com', '*.example.net']

it('reports until when the certificates are valid', async () => {
  const { chain, key } = authority.issue(all, { days: 30 })
  store('a.pem', chain, key)
  expect(await find()).toEqual([
    expect.stringMatching(/^ok 1 certificate can be served; the first to expire is valid until 20\d\d-\d\d-\d\d\.$/),
  ])
})

it('names the file that cannot be used, and why', async () => {
  const { chain, key } = authority.issue(all, { days: 30 })
  store('a.pem', chain, key)
  store('b.crt', authority.issue(['b.example']).chain)
  expect(await find()).toEqual([expect.stringMatching(/^error .*b\.crt: No private key fits its certificate/)])
})

it('reports certificates that have expired or will soon', async () => {
  const [soon, old] = [authority.issue(all, { days: 3 }), authority.issue(['old.example'], { days: -1 })]
  store('a.pem', soon.chain, soon.key)
  expect(await find()).toEqual([
    'warning 1 certificate will expire within 14 days.',
    expect.stringMatching(/^ok 1 certificate can/),
  ])
  store('old.pem', old.chain, old.key)
  expect(await find()).toEqual([
    expect.stringMatching(/^error .*old\.pem: The certificate has expired on /),
    'warning 1 certificate will expire within 14 days.',
  ])
})

it('names the hosts of this server that have no certificate', async () => {
  const { chain, key } = authority.issue(['other.example'], { days: 30 })
  store('a.pem', chain, key)
  expect(await find()).toEqual([
    'error No certificate is for api.example.com, the host of SVC_PUBLIC_URL: clients cannot connect.',
    expect.stringMatching(/^warning No certificate is for content\.example\.net and \*\.example\.net: share links/),
  ])
})

it('checks nothing if svc does not end TLS itself', async () => {
  expect(await findingsOf(certificatesCheck, {})).toEqual([expect.stringMatching(/^ok Not checked/)])
})
