import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findingsOf } from '../../../test/findings.js'
import { runSql } from '../../../test/site.js'
import { testAuthority } from '../../../test/test-authority.js'
import { twoProcesses, type TwoProcesses } from '../../../test/two-processes.js'
import { inspectDatabase } from '../../db/connect.js'
import { accountKeyStore } from '../../ports/certificates/acme/account-key-store.js'
import { openVault } from '../../ports/vault/envelope-vault.js'
import { MasterKey } from '../../shared/master-key.js'
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

describe('the certificates that svc orders', () => {
  const names = JSON.stringify(['*.example.net', 'example.net'])
  let database: TwoProcesses
  beforeEach(async () => {
    database = await twoProcesses('sqlite')
    return () => database.stop()
  })
  const findOrdered = async (more: Record<string, string> = {}) => {
    const env = {
      SVC_ACME: 'on',
      SVC_PUBLIC_URL: 'https://api.example.net',
      SVC_SITES_DOMAIN: 'example.net',
      SVC_SITES_ADDRESSES: '192.0.2.1',
    }
    const inspected = await inspectDatabase(database.config, () => undefined)
    try {
      return await findingsOf(certificatesCheck, { ...env, ...more }, inspected)
    } finally {
      await inspected.close()
    }
  }
  const order = (chain: string | null, error: string | null) =>
    runSql(
      database.config,
      `insert into certificate (names, next_at, failures, failing_since, chain, not_after, error) values (${[`'${names}'`, 4102444800000, 1, error === null ? 'null' : 1795000000000, ...(chain === null ? ['null', 'null'] : [`'${chain}'`, Date.parse(new X509Certificate(chain).validTo)]), error === null ? 'null' : `'${error}'`].join(', ')})`,
    )

  it('a missing one is an error with the words of the CA, and the time of the next attempt', async () => {
    await order(null, 'The CA limits the requests: too many.')
    expect(await findOrdered()).toEqual([
      'error There is no valid certificate for *.example.net and example.net. The CA limits the requests: too many. The orders have failed since 2026-11-18T11:06:40.000Z.',
      'error No certificate is for api.example.net, the host of SVC_PUBLIC_URL: clients cannot connect.',
      expect.stringMatching(/^warning No certificate is for content\.example\.net and \*\.example\.net/),
    ])
  })

  it('a valid one that cannot be renewed is a warning', async () => {
    await order(authority.issue(['*.example.net', 'example.net'], { days: 3 }).chain, 'The CA failed: it answered 500.')
    expect(await findOrdered()).toEqual([
      expect.stringMatching(
        /^warning The certificate for .* is valid until 20\d\d-\d\d-\d\d, but could not be renewed\. The CA failed: it answered 500\. The orders have failed since 2026-11-18T11:06:40\.000Z\.$/,
      ),
    ])
  })

  it('one that has expired is an error that names the day', async () => {
    const chain = authority.issue(['*.example.net', 'example.net'], { days: -1 }).chain
    await order(chain, 'The CA failed: it answered 500.')
    expect((await findOrdered())[0]).toMatch(
      /^error There is no valid certificate for .* The last one expired on 20\d\d-\d\d-\d\d\. The CA failed: it answered 500\. The orders have failed since \S+$/,
    )
  })

  it('one that no server has renewed in time is a warning', async () => {
    await order(authority.issue(['*.example.net', 'example.net'], { days: 3 }).chain, null)
    await runSql(database.config, `update certificate set renew_at = ${Date.now() - 2 * 86_400_000}`)
    expect(await findOrdered()).toEqual([
      expect.stringMatching(/^warning .* is valid until 20.*, and should have been renewed on 20\d\d-\d\d-\d\d\.$/),
    ])
  })

  it('an account whose key does not decrypt is a warning', async () => {
    const hex = '5e'.repeat(32)
    const vault = await openVault({ kind: 'setting', key: MasterKey.parse(hex)! }, database.db)
    await accountKeyStore(database.db, vault, { error: () => undefined }).keyOf('https://ca.test/dir')
    await runSql(database.config, `update acme_account set directory = 'https://moved.test/dir'`)
    expect(await findOrdered({ SVC_MASTER_KEY: hex })).toContain(
      'warning The key of the account at https://moved.test/dir does not decrypt.',
    )
  })

  it('of many certificates of accounts that fail, ten are named', async () => {
    await order(authority.issue(['*.example.net', 'example.net'], { days: 30 }).chain, null)
    const { id, email } = database.people[0]!
    await runSql(
      database.config,
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 12)
        insert into certificate (account_id, zone, names, next_at, failures, failing_since, error)
        select ${id}, 'z' || i || '.com', '["z' || i || '.com"]', 4102444800000, 1, 1795000000000, 'No.' from n`,
    )
    const found = await findOrdered()
    expect(found).toHaveLength(11)
    expect(found[0]).toBe(
      `warning There is no valid certificate for z1.com of ${email}. No. The orders have failed since 2026-11-18T11:06:40.000Z.`,
    )
    expect(found[10]).toBe('warning 2 more certificates of accounts could not be ordered.')
  })

  it.each(['0.0.0.0', '::', '127.0.0.1'])(
    'warns if SVC_HOST=%s does not tell the address of the server',
    async (host) => {
      await order(authority.issue(['*.example.net', 'example.net'], { days: 30 }).chain, null)
      expect(await findOrdered({ SVC_HOST: host, SVC_SITES_ADDRESSES: '' })).toEqual([
        `warning SVC_SITES_ADDRESSES is not set, and SVC_HOST is ${host}, so svc knows no address of this server: it orders no certificate for a name that leads here only by an A, AAAA or CNAME record.`,
      ])
      expect(await findOrdered({ SVC_HOST: host })).toEqual(['ok svc has ordered 1 certificate, which can be served.'])
    },
  )

  it('all are fine, also beside files for other names', async () => {
    await order(authority.issue(['*.example.net', 'example.net'], { days: 30 }).chain, null)
    expect(await findOrdered()).toEqual(['ok svc has ordered 1 certificate, which can be served.'])
    const { chain, key } = authority.issue(['other.example'], { days: 30 })
    store('a.pem', chain, key)
    expect(await findOrdered({ SVC_TLS_CERT: folder })).toEqual([expect.stringMatching(/^ok 1 certificate can/)])
  })
})

it('checks nothing if svc does not end TLS itself', async () => {
  expect(await findingsOf(certificatesCheck, {})).toEqual([expect.stringMatching(/^ok Not checked/)])
})
