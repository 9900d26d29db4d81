import { beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { runSql } from '../../../../test/site.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import { MasterKey } from '../../../shared/master-key.js'
import { openVault } from '../../vault/envelope-vault.js'
import { accountKeyStore, lostAccounts, type AccountKeyStore } from './account-key-store.js'

/** The key of the account at a CA, in two processes on one database. */

const directory = 'https://ca.test/dir'

describe.each(databaseKinds)('the key of an account on %s', (kind) => {
  let place: TwoProcesses
  let ours: AccountKeyStore
  let theirs: AccountKeyStore
  let lost: () => Promise<readonly string[]>
  let log: string[]
  beforeEach(async () => {
    place = await twoProcesses(kind)
    log = []
    const config = { kind: 'setting', key: MasterKey.random() } as const
    const vault = await openVault(config, place.db)
    const logger = { error: (_: unknown, text?: string) => void log.push(text ?? '') }
    ours = accountKeyStore(place.db, vault, logger)
    theirs = accountKeyStore(place.otherDb, await openVault(config, place.otherDb), logger)
    lost = () => lostAccounts(place.db, vault)
    return () => place.stop()
  })

  it('is the same in both, and another one at another CA', async () => {
    const [first, second] = await Promise.all([ours.keyOf(directory), theirs.keyOf(directory)])
    expect(first.equals(second)).toBe(true)
    expect((await ours.keyOf('https://other.test/dir')).equals(first)).toBe(false)
    expect(log).toEqual([])
    expect(await lost()).toEqual([])
  })

  it('is replaced once if it does not decrypt, which the log says', async () => {
    await ours.keyOf('https://other.test/dir')
    const before = await ours.keyOf(directory)
    await runSql(
      place.config,
      `update acme_account set sealed = (select sealed from acme_account where directory = 'https://other.test/dir')`,
    )
    expect(await lost()).toEqual([directory])
    const [first, second] = await Promise.all([ours.keyOf(directory), theirs.keyOf(directory)])
    expect(first.equals(second)).toBe(true)
    expect(first.equals(before)).toBe(false)
    expect(await lost()).toEqual([])
    expect(new Set(log)).toEqual(
      new Set(['the key of the account at the CA does not decrypt: another account is opened']),
    )
    const count = log.length
    expect((await theirs.keyOf(directory)).equals(first)).toBe(true)
    expect(log).toHaveLength(count)
  })
})
