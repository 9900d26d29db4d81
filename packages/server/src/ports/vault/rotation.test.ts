import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../test/app.js'
import { runSql } from '../../../test/site.js'
import { secretRows, type SecretRows } from '../../../test/secret-rows.js'
import { twoProcesses, type TwoProcesses } from '../../../test/two-processes.js'
import { openVault, type EnvelopeVault } from './envelope-vault.js'
import { createKeyFile } from './key-file.js'
import { MasterKey } from '../../shared/master-key.js'
import type { VaultConfig } from './own-key.js'
import { rotateMasterKey, type Rotated } from './rotation.js'

/** Runs the job with which a server notices a rotation. */
const follow = (vault: EnvelopeVault) => Promise.all(vault.jobs.map((job) => job.run(new AbortController().signal)))

class Interrupted extends Error {}

/** How many sentences a rotation with a key file says; an interruption can follow each of them, and the start. */
const steps = 5

describe.each(databaseKinds)('rotation of the master key on %s', (kind) => {
  let place: TwoProcesses
  let rows: SecretRows
  let folder: string
  let keyFile: string
  let printed: string[]
  beforeEach(async () => {
    place = await twoProcesses(kind)
    rows = secretRows(place.db, place.people[0]?.id ?? 0)
    folder = await mkdtemp(join(tmpdir(), 'svc-rotation-'))
    keyFile = join(folder, 'master.key')
    printed = []
  })
  afterEach(async () => {
    await place.stop()
    await rm(folder, { recursive: true })
  })

  const file = (): VaultConfig => ({ kind: 'file', file: keyFile })
  const setting = (key: MasterKey | undefined): VaultConfig => ({ kind: 'setting', key: key ?? MasterKey.random() })
  const printedKey = () => MasterKey.parse(printed.at(-1) ?? '')

  /** @param interruptAfter the number of sentences after which the command is interrupted */
  const rotate = (config: VaultConfig, interruptAfter = Infinity): Promise<Rotated> => {
    let said = 0
    const note = () => {
      if (++said >= interruptAfter) throw new Interrupted()
    }
    const showKey = async (key: string) => {
      printed.push(key)
      if (interruptAfter === 0) throw new Interrupted()
    }
    return rotateMasterKey({ db: place.otherDb, config, followMs: 1, showKey, note })
  }

  it('replaces the key of every secret and the key file; running and new servers open them', async () => {
    const running = await openVault(file(), place.db)
    await rows.store(running, 250)
    const before = await readFile(keyFile, 'utf8')
    const { oldId, newId, rewrapped, damaged } = await rotate(file())
    expect({ rewrapped, damaged }).toEqual({ rewrapped: 250, damaged: [] })
    expect(MasterKey.parse(before.trim())?.id).toBe(oldId)
    expect(MasterKey.parse((await readFile(keyFile, 'utf8')).trim())?.id).toBe(newId)
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600)
    expect(await readdir(folder)).toEqual(['master.key'])
    await rows.expectAll(running, 250)
    await rows.expectAll(await openVault(file(), place.db), 250)
    expect(await runSql(place.config, 'select distinct master_key_id from credential')).toEqual([
      { master_key_id: newId },
    ])
    expect(await runSql(place.config, 'select * from master_key_handover')).toEqual([])
  })

  it('prints the new SVC_MASTER_KEY before anything changes, and refuses the old one afterwards', async () => {
    const key = MasterKey.random()
    await rows.store(await openVault(setting(key), place.db), 3)
    await expect(rotate(setting(key), 0)).rejects.toThrow(Interrupted)
    expect(await runSql(place.config, 'select * from master_key_handover')).toEqual([])
    const { newId } = await rotate(setting(key))
    expect(printedKey()?.id).toBe(newId)
    await rows.expectAll(await openVault(setting(printedKey()), place.db), 3)
    await expect(openVault(setting(key), place.db)).rejects.toThrow(newId)
    await expect(rotate(setting(key))).rejects.toThrow(newId)
  })

  it.each(Array.from({ length: steps }, (_, i) => i + 1))(
    'continues after an interruption at step %i with a key file; servers start in between',
    async (step) => {
      const running = await openVault(file(), place.db)
      await rows.store(running, 5)
      await expect(rotate(file(), step)).rejects.toThrow(Interrupted)
      await rows.expectAll(running, 5)
      const restarted = await openVault(file(), place.db)
      await rows.expectAll(restarted, 5)
      await rows.store(restarted, 7)
      const { newId } = await rotate(file())
      for (const vault of [running, restarted, await openVault(file(), place.db)]) await rows.expectAll(vault, 7)
      expect(await runSql(place.config, 'select distinct master_key_id from credential')).toEqual([
        { master_key_id: newId },
      ])
      expect(await readdir(folder)).toEqual(['master.key'])
    },
  )

  it.each(Array.from({ length: steps - 2 }, (_, i) => i + 1))(
    'continues after an interruption at step %i with SVC_MASTER_KEY, with the old or the new key',
    async (step) => {
      const key = MasterKey.random()
      const running = await openVault(setting(key), place.db)
      await rows.store(running, 5)
      await expect(rotate(setting(key), step)).rejects.toThrow(Interrupted)
      await follow(running)
      const next = printedKey()
      for (const given of [key, next]) await rows.expectAll(await openVault(setting(given), place.db), 5)
      const { newId } = await rotate(setting(step === 2 ? next : key))
      expect(next?.id).toBe(newId)
      await rows.expectAll(running, 5)
      await rows.expectAll(await openVault(setting(next), place.db), 5)
    },
  )

  it('continues with the key of the hand-over if its file is lost', async () => {
    await rows.store(await openVault(file(), place.db), 2)
    await expect(rotate(file(), 2)).rejects.toThrow(Interrupted)
    await rm(`${keyFile}.new`)
    await rotate(file())
    await rows.expectAll(await openVault(file(), place.db), 2)
  })

  it('leaves the file of another key alone', async () => {
    await openVault(file(), place.db)
    await expect(rotate(file(), 2)).rejects.toThrow(Interrupted)
    await rm(`${keyFile}.new`)
    await createKeyFile(`${keyFile}.new`, MasterKey.random())
    const text = await readFile(`${keyFile}.new`, 'utf8')
    await expect(rotate(file())).rejects.toThrow('move it away')
    expect(await readFile(`${keyFile}.new`, 'utf8')).toBe(text)
  })

  it('refuses a copy of the old key as the new one', async () => {
    await openVault(file(), place.db)
    await writeFile(`${keyFile}.new`, await readFile(keyFile), { mode: 0o600 })
    await expect(rotate(file())).rejects.toThrow('move it away')
  })

  it('refuses before the first start', async () => {
    await expect(rotate(setting(undefined))).rejects.toThrow('no master key yet')
  })

  it('names the damaged rows, and rewraps the others', async () => {
    const vault = await openVault(file(), place.db)
    await rows.store(vault, 3)
    const [row] = await runSql(place.config, `select id from credential where label = '1'`)
    await runSql(place.config, `update credential set sealed = substr(sealed, 2) where label = '1'`)
    const { rewrapped, damaged } = await rotate(file())
    expect({ rewrapped, damaged }).toEqual({ rewrapped: 2, damaged: [{ table: 'credential', id: row?.['id'] }] })
  })

  it('a server that was suspended during the whole rotation reads the key file again', async () => {
    const suspended = await openVault(file(), place.db)
    await rows.store(suspended, 2)
    await rotate(file())
    await rotate(file())
    await rows.expectAll(suspended, 2)
    await rows.store(suspended, 3)
    await rows.expectAll(await openVault(file(), place.db), 3)
  })

  it('a server that was suspended, with SVC_MASTER_KEY, says that it must be restarted', async () => {
    const key = MasterKey.random()
    const suspended = await openVault(setting(key), place.db)
    await rows.store(suspended, 2)
    await rotate(setting(key))
    await expect(rows.expectAll(suspended, 2)).rejects.toThrow('restart svc with that key')
    await expect(rows.store(suspended, 3)).rejects.toThrow('restart svc with that key')
  })
})
