import { createPrivateKey, createPublicKey } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it, vi } from 'vitest'
import { closedServer, startApp, testVault, type Answer, type TestApp } from '../../test/app.js'
import { issueCertificate, issuer } from '../../test/certificates.js'
import { emptyFolder } from '../../test/database-rows.js'
import { installationIn } from '../../test/installation.js'
import { runSql } from '../../test/site.js'
import { tlsClient } from '../../test/tls-client.js'
import { dataOf, dnsSettings } from '../../test/zone-site.js'
import type { Config } from '../config/config.js'
import { accountKeyStore } from '../ports/certificates/acme/account-key-store.js'
import { openVault } from '../ports/vault/envelope-vault.js'
import { backup } from './backup.js'
import { moveDatabase } from './move.js'
import { restore } from './restore.js'
import { importCertificate } from './tls-import.js'
import { listCertificates } from './tls.js'

/** Certificates of an installation whose rows go to another database: its servers have the same ones, and order no others. */

vi.setConfig({ testTimeout: 120_000 })

const sitesDomain = 'sites.test'
const publicUrl = `https://api.${sitesDomain}`
const passphrase = 'correct horse battery'
const directoryUrl = `https://${closedServer}/dir`
const uninterrupted = { onProgress: () => undefined, signal: new AbortController().signal }

/** What servers of the installation share. The CA and the resolvers do not answer: an order that begins fails. */
const serverOf = ({ database, blobs }: Config): Partial<Config> => ({
  database,
  blobs,
  sitesDomain,
  publicUrl,
  dns: dnsSettings([closedServer]),
})

const acme: Partial<Config> = {
  acme: { directoryUrl, email: undefined, profile: undefined, externalAccount: undefined },
  tls: { port: 0, publicUrl, redirectPort: 0, files: undefined },
  certificateOrders: { accountOrders: 1, domainOrders: 1 },
}

/** The key of the account at the CA; a new one if there is none. */
async function accountKey({ app }: TestApp): Promise<unknown> {
  const vault = await openVault(testVault, app.database)
  const key = await accountKeyStore(app.database, vault, pino({ level: 'silent' })).keyOf(directoryUrl)
  return key.export({ format: 'jwk' })
}

const publicKeyOf = (pem: string) => createPublicKey(pem).export({ format: 'pem', type: 'spki' })

/** Fills an installation with a certificate of the server, one of an account, and a zone whose first order is due. */
async function fill(config: Config, folder: string) {
  const server = await startApp('sqlite', serverOf(config))
  const account = await server.account('ada@example.com')
  const token = await server.token(account, 'dns:write')
  const sql = (statement: string) => runSql(config.database, statement)
  const nextYear = Date.now() + 365 * 86_400_000
  for (const [zone, nextAt] of [
    ['moved.com', nextYear],
    ['due.com', 0],
  ] as const) {
    dataOf(await server.call('POST', '/v1/dns/zones', { token, body: { zone } }))
    await sql(`insert into tls_zone (account_id, zone, created_at) values (${String(account.id)}, '${zone}', 5)`)
    await sql(`insert into certificate (account_id, zone, names, next_at, failures)
      values (${String(account.id)}, '${zone}', '["*.${zone}","${zone}"]', ${String(nextAt)}, 0)`)
  }
  await sql(`insert into certificate (names, next_at, failures) values ('["*.${sitesDomain}","${sitesDomain}"]', 1, 0)`)
  await sql(`insert into certificate_order (account_id, domain, ordered_at)
    values (${String(account.id)}, 'moved.com', ${String(Date.now())})`)
  const ofAccount = await issueCertificate(server.app.database, account, ['moved.com', '*.moved.com'])
  const { chain, key: ofServer } = issuer.issue([sitesDomain, `*.${sitesDomain}`])
  const files = { certificate: join(folder, 'chain.pem'), key: join(folder, 'key.pem') }
  await writeFile(files.certificate, chain)
  await writeFile(files.key, ofServer)
  await importCertificate({ database: config.database, vault: testVault }, files, undefined)
  const atCa = await accountKey(server)
  await server.stop()
  return { token, ofAccount, ofServer, atCa }
}

const ways = {
  'svc backup and svc restore': async (from: Config, to: Config, file: string) => {
    await backup({ ...from, vault: testVault }, file, { withMasterKey: false, onProgress: () => undefined })
    await restore({ ...to, vault: testVault }, file, uninterrupted)
  },
  'svc database move': async (from: Config, to: Config) => {
    await moveDatabase(from.database, to.database, uninterrupted)
  },
}

describe.each(Object.entries(ways))('after %s', (_, carry) => {
  it.each([
    ['sqlite', 'postgres'],
    ['postgres', 'sqlite'],
  ] as const)('from %s to %s, the same certificates are served without an order', async (kind, otherKind) => {
    await using folder = await emptyFolder()
    const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')]
    await Promise.all([from, to].map((path) => mkdir(path)))
    const source = await installationIn(from, kind)
    const { token, ofAccount, ofServer, atCa } = await fill(source, folder.path)
    const target = await installationIn(to, otherKind)
    await carry(source, target, join(folder.path, 'backup.svc'))

    const server = await startApp('sqlite', { ...serverOf(target), ...acme })
    const tls = server.app.tls!.server
    tls.listen(0, '127.0.0.1')
    await once(tls, 'listening')
    const { port } = tls.address() as AddressInfo
    const served = async (name: string) => {
      const socket = await tlsClient(port, issuer.ca).open(name)
      const key = socket.getPeerX509Certificate()?.publicKey.export({ format: 'pem', type: 'spki' })
      socket.destroy()
      return key
    }
    expect(await served(`any.${sitesDomain}`)).toBe(publicKeyOf(ofServer))
    expect(await served('www.moved.com')).toBe(publicKeyOf(ofAccount))
    expect(await accountKey(server)).toEqual(atCa)
    const post = (path: string, body: object): Promise<Answer> =>
      server.call('POST', `/v1/tls/certificates${path}`, { token, body })
    const { private_key: downloaded } = dataOf(await post('/key', { zone: 'moved.com', passphrase }))
    const opened = createPrivateKey({ key: downloaded as string, passphrase })
    expect(opened.equals(createPrivateKey(ofAccount))).toBe(true)
    expect((await post('/renew', { zone: 'moved.com' })).body['message']).toMatch(
      /^The account has ordered 1 certificates in 24 hours/,
    )

    // The only due order has failed, and those of the others have not begun.
    const failed = async () => {
      const all = await listCertificates({ database: target.database })
      return all.filter(({ error }) => error !== null).map(({ names }) => names.at(-1))
    }
    await vi.waitFor(async () => expect(await failed()).toEqual(['due.com']), { timeout: 60_000, interval: 50 })
    await server.stop()
  })
})
