import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds, testVault } from '../../../../test/app.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import { openVault } from '../../../ports/vault/envelope-vault.js'
import type { Vault } from '../../../ports/vault/port.js'
import { dnsTables } from '../tables.js'
import { checkKeyName, dnsKeyIdentity } from './key.js'
import { operatorKeys } from './operator-keys.js'
import { dnsKeyStore } from './store.js'

describe('names of keys', () => {
  it.each([
    ['ns2', 'ns2'],
    [' NS2.Example.net. ', 'ns2.example.net'],
    ['_key.a-b', '_key.a-b'],
    ['a'.repeat(63), 'a'.repeat(63)],
  ])('%j is the key %s', (given, name) => {
    expect(checkKeyName(given)).toBe(name)
  })

  it.each(['', '.', 'a..b', 'a b', 'a/b', '-a', 'a-', 'ä', 'a'.repeat(64), `${'a.'.repeat(127)}a`])(
    '%j is refused',
    (given) => {
      expect(() => checkKeyName(given)).toThrow('must be a DNS name')
    },
  )

  it('the names of the keys of accounts are refused, of any installation', () => {
    expect(() => checkKeyName('7.0123456789ABCDEF.key')).toThrow('the form of the keys of accounts')
  })
})

describe.each(databaseKinds)('keys of the operator on %s', (kind) => {
  let site: TwoProcesses
  let vault: Vault
  beforeAll(async () => {
    site = await twoProcesses(kind)
    vault = await openVault(testVault, site.db)
  })
  afterAll(() => site.stop())

  it('a key is found by its name in every process, until one of them removes it', async () => {
    const [keys, others] = [dnsKeyStore(site.db), dnsKeyStore(site.otherDb)]
    const secret = await keys.add(vault, 'ns2', 'hmac-sha512')
    const found = operatorKeys(site.otherDb, await openVault(testVault, site.otherDb))
    const key = await found.byName('ns2')
    expect(key).toMatchObject({ name: 'ns2', algorithm: 'hmac-sha512', secret: Buffer.from(secret, 'base64') })
    expect(key!.signer({ address: '192.0.2.1', port: 53, transport: 'tcp' })).toEqual({ kind: 'operator', name: 'ns2' })
    expect(await others.list()).toMatchObject([{ name: 'ns2', algorithm: 'hmac-sha512' }])
    expect(await keys.remove('ns2')).toBe(true)
    expect(await found.byName('ns2')).toBeUndefined()
    expect(await others.list()).toEqual([])
  })

  it('there are at most 100', async () => {
    const keys = dnsKeyStore(site.db)
    for (let n = 0; n < 100; n++) await keys.add(vault, `ns${String(n)}`, 'hmac-sha256')
    await expect(keys.add(vault, 'beyond', 'hmac-sha256')).rejects.toThrow('there are 100 keys')
    await keys.remove('ns0')
    await keys.add(vault, 'beyond', 'hmac-sha256')
    expect(await keys.list()).toHaveLength(100)
  })
})

it('a backup and a rotation of the master key find the secret of a key by its name', () => {
  const row = {
    id: 1,
    name: 'ns2',
    algorithm: 'hmac-sha256',
    master_key_id: 'key',
    sealed: Buffer.alloc(0),
    created_at: 0,
  } as const
  expect(dnsTables.tables.dns_key.sealed(1, row)).toEqual(dnsKeyIdentity('ns2'))
})
