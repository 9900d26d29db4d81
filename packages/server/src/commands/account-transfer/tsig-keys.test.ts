import { expect, it } from 'vitest'
import { accountMoves, portsOf } from '../../../test/account-moves.js'
import { startApp, type TestApp } from '../../../test/app.js'
import { exchangeUdp, queryPacket } from '../../../test/dns-ask.js'
import { unlimited } from '../../areas/account/tokens/limits.js'
import { tokenStore } from '../../areas/account/tokens/store.js'
import { tsigStore } from '../../areas/account/tokens/tsig-store.js'
import { installationId } from '../../db/installation-store.js'
import { TsigSigner, type TsigKey } from '../../ports/dns/wire/tsig.js'
import { findTsig } from '../../ports/dns/wire/tsig-record.js'
import { openVault } from '../../ports/vault/envelope-vault.js'

/** Keys that sign DNS messages keep their secrets when an account moves, and get the names of their new installation. */

const { onSqlite, exportTo, importFrom } = accountMoves()

async function errorFor(server: TestApp, key: TsigKey): Promise<number> {
  const packet = new TsigSigner(key).sign(queryPacket('unknown.test', 'A'), Math.floor(Date.now() / 1000))
  return findTsig(await exchangeUdp(packet, server.dnsPort))!.error
}

it('an imported key has its secret under the master key of the other installation, and its name there', async () => {
  const [source, target] = [onSqlite('from'), onSqlite('to')]
  const old = await startApp('sqlite', portsOf(source))
  const ada = await old.account('ada@example.com')
  const keys = tsigStore(old.app.database, await openVault(source.vault, old.app.database))
  const made = await keys.create(ada, { ...unlimited, name: 'acme', scopes: ['dns:write'], algorithm: 'hmac-sha512' })
  const secret = Buffer.from(made.secret, 'base64')
  expect(await errorFor(old, { ...made.tsig!, secret })).toBe(0)
  await old.stop()

  const exportKey = await exportTo('ada.svc', source, ada.email)
  expect((await importFrom('ada.svc', target, exportKey)).changes).toEqual([])

  const moved = await startApp('sqlite', portsOf(target))
  const token = (await tokenStore(moved.app.database).find(ada, 'acme'))!
  const name = `${String(token.id)}.${await installationId(moved.app.database)}.key`
  expect(token.tsig).toEqual({ name, algorithm: 'hmac-sha512' })
  expect(await errorFor(moved, { name, algorithm: 'hmac-sha512', secret })).toBe(0)
  expect(await errorFor(moved, { ...made.tsig!, secret })).toBe(17)
  await moved.stop()
})
