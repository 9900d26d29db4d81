import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { runSql } from '../../../../test/site.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import { sealedRowsStore } from '../../../app/sealed-rows-store.js'
import { openVault } from '../../../ports/vault/envelope-vault.js'
import { rotateMasterKey } from '../../../ports/vault/rotation.js'
import { intakeStore } from '../messages/intake-store.js'
import { digest, signingKeyIdentity } from './key.js'
import { keyStore } from './store.js'

/** Signing keys and a rotation of the master key. */

describe.each(databaseKinds)('signing keys on %s', (kind) => {
  let site: TwoProcesses
  let folder: string
  beforeEach(async () => {
    site = await twoProcesses(kind)
    folder = await mkdtemp(join(tmpdir(), 'svc-sms-'))
  })
  afterEach(async () => {
    await site.stop()
    await rm(folder, { recursive: true })
  })

  it('signing keys open after a rotation, and are stored under the new key by a process that has the old one', async () => {
    const [account] = site.people
    const config = { kind: 'file', file: join(folder, 'master.key') } as const
    const vault = await openVault(config, site.db)
    const keys = keyStore(site.db, vault)
    const before = await keys.create(account!, 'before', 'signed before')
    const unsigned = await keys.create(account!, 'unsigned', undefined)
    const { newId, rewrapped } = await rotateMasterKey({
      db: site.otherDb,
      secrets: sealedRowsStore(site.otherDb),
      config,
      followMs: 1,
      showKey: () => Promise.resolve(),
      note: () => undefined,
    })
    expect(rewrapped).toBe(1)

    const after = await keys.create(account!, 'after', 'signed after')
    await keys.setSigningKey(account!, unsigned.id, 'signed later')
    expect(await runSql(site.config, 'select distinct master_key_id from sms_key')).toEqual([{ master_key_id: newId }])
    const opened = [before, after, unsigned].map(async ({ key }) => {
      const found = await intakeStore(site.db, 0).find(digest(key))
      return vault.open(found!.sealed!, signingKeyIdentity(account!.id, found!.hash))
    })
    expect(await Promise.all(opened)).toEqual(['signed before', 'signed after', 'signed later'])
    expect((await keys.list(account!)).map(({ hasSigningKey }) => hasSigningKey)).toEqual([true, true, true])
  })
})
