import { expect, it, vi } from 'vitest'
import { accountMoves, portsOf } from '../../../test/account-moves.js'
import { closedServer, startApp } from '../../../test/app.js'
import { issueCertificate } from '../../../test/certificates.js'
import { runSql } from '../../../test/site.js'
import { dataOf, dnsSettings } from '../../../test/zone-site.js'

/** Certificates do not leave their server: the one that imports the account orders its own, with other keys. */

const { onSqlite, exportTo, importFrom, rowsIn } = accountMoves()

const acme = {
  directoryUrl: `https://${closedServer}/dir`,
  email: undefined,
  profile: undefined,
  externalAccount: undefined,
}

it('an export has the zones of certificates without their keys and orders, and the server that imports it orders anew', async () => {
  const [source, target] = [onSqlite('from'), onSqlite('to')]
  const old = await startApp('sqlite', portsOf(source))
  const ada = await old.account('ada@example.com')
  const token = await old.token(ada, 'dns:write')
  dataOf(await old.call('POST', '/v1/dns/zones', { token, body: { zone: 'moved.com' } }))
  const [id, names] = [String(ada.id), '["*.moved.com","moved.com"]']
  const sql = (statement: string) => runSql(source.database, statement)
  await sql(`insert into tls_zone (account_id, zone, created_at) values (${id}, 'moved.com', 5)`)
  await sql(`insert into certificate (account_id, zone, names, next_at, failures)
    values (${id}, 'moved.com', '${names}', ${String(Date.now() + 9e9)}, 0)`)
  await sql(`insert into certificate_order (account_id, domain, ordered_at)
    values (${id}, 'moved.com', ${String(Date.now())})`)
  await issueCertificate(old.app.database, ada, ['moved.com', '*.moved.com'], source.vault)
  await old.stop()

  const key = await exportTo('ada.svc', source, ada.email)
  const exported = await rowsIn('ada.svc', source, key)
  expect(exported['tls_zone']).toMatchObject([{ zone: 'moved.com' }])
  expect(Object.keys(exported).filter((table) => /certificate|acme/.test(table))).toEqual([])
  expect((await importFrom('ada.svc', target, key)).changes).toEqual([])

  const moved = await startApp('sqlite', { ...portsOf(target), acme, dns: dnsSettings([closedServer]) })
  const list = async () => dataOf(await moved.call('GET', '/v1/tls/certificates', { token }))['certificates']
  // It does not lead to this server, so the order fails before it reaches the CA.
  const ordered = { zone: 'moved.com', status: 'failed', not_after: null, error: expect.stringContaining('moved.com') }
  await vi.waitFor(async () => expect(await list()).toMatchObject([ordered]), { timeout: 60_000, interval: 50 })
  const body = { zone: 'moved.com', passphrase: 'correct horse battery' }
  expect((await moved.call('POST', '/v1/tls/certificates/key', { token, body })).status).toBe(404)
  await moved.stop()
})
