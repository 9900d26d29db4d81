import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../test/app.js'
import { runSql } from '../../../test/site.js'
import { twoProcesses, type TwoProcesses } from '../../../test/two-processes.js'
import { DamagedSecret } from './envelope.js'
import { openVault } from './envelope-vault.js'
import { MasterKey } from '../../shared/master-key.js'
import type { VaultConfig } from './configured-key.js'
import { staleKey, type Sealed, type SecretIdentity } from './port.js'

const identity: SecretIdentity = ['credential', 7, 'github', 'work']

/** The sealed bytes, as a store that always has the current key keeps them. */
const keep = (sealed: Sealed) => Promise.resolve(sealed)

describe.each(databaseKinds)('the vault on %s', (kind) => {
  let place: TwoProcesses
  let folder: string
  let file: VaultConfig & { kind: 'file' }
  beforeEach(async () => {
    place = await twoProcesses(kind)
    folder = await mkdtemp(join(tmpdir(), 'svc-vault-'))
    file = { kind: 'file', file: join(folder, 'data', 'master.key') }
  })
  afterEach(async () => {
    await place.stop()
    await rm(folder, { recursive: true })
  })

  const setting = (key = MasterKey.random()): VaultConfig => ({ kind: 'setting', key })

  it('creates the key file at the first start; later starts open what it has sealed', async () => {
    const first = await openVault(file, place.db)
    const sealed = await first.seal('hunter2', identity, keep)
    const text = await readFile(file.file, 'utf8')
    const later = await openVault(file, place.otherDb)
    expect(await later.open(sealed.bytes, identity)).toBe('hunter2')
    expect(await readFile(file.file, 'utf8')).toBe(text)
    expect((await stat(file.file)).mode & 0o777).toBe(0o600)
    const same = MasterKey.parse(text.trim())
    expect(same && (await (await openVault(setting(same), place.db)).open(sealed.bytes, identity))).toBe('hunter2')
  })

  it('two processes that start first at the same time have the same key', async () => {
    const [one, other] = await Promise.all([openVault(file, place.db), openVault(file, place.otherDb)])
    const sealed = await one.seal('hunter2', identity, keep)
    expect(await other.open(sealed.bytes, identity)).toBe('hunter2')
  })

  it('of two processes that start first with different keys, one refuses to start', async () => {
    const started = await Promise.allSettled([openVault(setting(), place.db), openVault(setting(), place.otherDb)])
    expect(started.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('refuses a wrong key, names both keys, and changes nothing', async () => {
    const right = MasterKey.random()
    await openVault(setting(right), place.db)
    const wrong = MasterKey.random()
    await expect(openVault(setting(wrong), place.db)).rejects.toThrow(
      `The master key in SVC_MASTER_KEY is ${wrong.id}, but secrets in the database are encrypted with the master key ${right.id}: restore the file of that key from its backup, or set SVC_MASTER_KEY to it.`,
    )
    expect(await runSql(place.config, 'select key_id from master_key')).toEqual([{ key_id: right.id }])
  })

  it('refuses a missing key file, and does not create one', async () => {
    const right = MasterKey.random()
    await openVault(setting(right), place.db)
    await expect(openVault(file, place.db)).rejects.toThrow(
      `The master key file ${file.file} is missing, and secrets in the database are encrypted with the master key ${right.id}: restore the file from its backup, or set SVC_MASTER_KEY to that key.`,
    )
    await expect(stat(file.file)).rejects.toThrow('ENOENT')
  })

  it('refuses a key file that became empty, and leaves it', async () => {
    await openVault(file, place.db)
    await writeFile(file.file, '')
    await expect(openVault(file, place.db)).rejects.toThrow('64 hexadecimal digits')
    expect(await readFile(file.file, 'utf8')).toBe('')
  })

  it('openAll keeps the order, and is undefined for what does not open', async () => {
    const vault = await openVault(setting(), place.db)
    const stranger = MasterKey.random()
    await runSql(place.config, `update master_key set key_id = '${stranger.id}'`)
    const other = await openVault(setting(stranger), place.otherDb)
    const foreign = await other.seal('of another installation', identity, keep)
    await runSql(place.config, `update master_key set key_id = '${(await vault.seal('', identity, keep)).masterKeyId}'`)
    const sealed = await Promise.all(['a', 'b', 'c'].map((text) => vault.seal(text, identity, keep)))
    const entries = [...sealed, foreign].map(({ bytes }) => ({ sealed: bytes, identity }))
    const moved = { sealed: entries[0]?.sealed ?? Buffer.alloc(0), identity: ['credential', 8] as const }
    expect(await vault.openAll([...entries, moved, { sealed: Buffer.alloc(3), identity }])).toEqual([
      ...['a', 'b', 'c'],
      ...[undefined, undefined, undefined],
    ])
    await expect(vault.open(foreign.bytes, identity)).rejects.toThrow(DamagedSecret)
  })

  it('fails instead of repeating an attempt for ever', async () => {
    const vault = await openVault(setting(), place.db)
    let calls = 0
    const stale = vault.seal('x', identity, () => Promise.resolve(++calls > 0 ? staleKey : 'stored'))
    await expect(stale).rejects.toThrow('rotated again')
    expect(calls).toBe(3)
  })
})
