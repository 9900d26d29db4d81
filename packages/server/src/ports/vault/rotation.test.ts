import { lstat, mkdir, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../test/app.js'
import { Interrupted, rotationSite, setting, type RotationSite } from '../../../test/rotation-site.js'
import { runSql } from '../../../test/site.js'
import { OperatorError } from '../../shared/operator-error.js'
import { MasterKey } from '../../shared/master-key.js'
import { openVault } from './envelope-vault.js'
import { createKeyFile } from './key-file.js'

/** How many sentences a rotation with a key file says; an interruption can follow each of them, and the start. */
const steps = 5

describe.each(databaseKinds)('rotation of a master key in a file on %s', (kind) => {
  let site: RotationSite
  let place: RotationSite['place']
  let rows: RotationSite['rows']
  let folder: RotationSite['folder']
  let keyFile: RotationSite['keyFile']
  let file: RotationSite['file']
  let rotate: RotationSite['rotate']
  beforeEach(async () => {
    site = await rotationSite(kind)
    ;({ place, rows, folder, keyFile, file, rotate } = site)
  })
  afterEach(() => site.stop())

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

  it('leaves nothing in the files of the database that the old key opens', async () => {
    await rows.store(await openVault(file(), place.db), 150)
    const heads = await runSql(place.config, 'select substr(sealed, 10, 40) as secret from credential')
    await expect(rotate(file(), 2)).rejects.toThrow(Interrupted)
    const keys = await runSql(place.config, 'select new_key as secret from master_key_handover')
    const secrets = [...heads, ...keys].map(({ secret }) => (secret as Buffer).toString('latin1'))
    expect(secrets).toHaveLength(151)
    await rotate(file())
    if (place.config.kind === 'postgres') {
      // The file of a deleted row has a page.
      const [size] = await runSql(place.config, `select pg_relation_size('master_key_handover') as bytes`)
      expect(Number(size?.['bytes'])).toBe(0)
      return
    }
    for (const name of [place.config.file, `${place.config.file}-wal`]) {
      const bytes = (await readFile(name)).toString('latin1')
      expect(secrets.filter((secret) => bytes.includes(secret))).toEqual([])
    }
  })

  it('replaces the target of a symbolic link', async () => {
    await mkdir(join(folder, 'keys'), { mode: 0o700 })
    const target = join(folder, 'keys', 'svc.key')
    await createKeyFile(target, MasterKey.random())
    await symlink(target, keyFile)
    await openVault(file(), place.db)
    const { newId } = await rotate(file())
    expect((await lstat(keyFile)).isSymbolicLink()).toBe(true)
    expect(MasterKey.parse((await readFile(target, 'utf8')).trim())?.id).toBe(newId)
    expect(await readdir(join(folder, 'keys'))).toEqual(['svc.key'])
  })

  it('continues after an interruption between two batches', async () => {
    const running = await openVault(file(), place.db)
    await rows.store(running, 250)
    const [last] = await runSql(place.config, 'select max(id) as id, min(master_key_id) as key from credential')
    const { id, key } = last as { id: number; key: string }
    const [refuse, accept] =
      kind === 'sqlite'
        ? [
            `create trigger refusal before update on credential when new.id = ${id} begin select raise(abort, 'interrupted'); end`,
            'drop trigger refusal',
          ]
        : [
            `alter table credential add constraint refusal check (id <> ${id} or master_key_id = '${key}')`,
            'alter table credential drop constraint refusal',
          ]
    await runSql(place.config, refuse)
    await expect(rotate(file())).rejects.toThrow(/interrupted|refusal/)
    await runSql(place.config, accept)
    const groups = await runSql(place.config, 'select count(*) as n from credential group by master_key_id')
    expect(groups.map(({ n }) => Number(n)).sort()).toEqual([200, 50].sort())
    await rows.expectAll(running, 250)
    expect((await rotate(file())).rewrapped).toBe(50)
    await rows.expectAll(await openVault(file(), place.db), 250)
  })

  it.each([
    ['changed bytes', `new_key = substr(new_key, 2), old_key = substr(old_key, 2)`, 'does not open the key'],
    ['other keys', `old_key_id = 'x', new_key_id = 'y'`, 'it names other keys than the current one'],
  ])('a damaged hand-over is named: %s', async (_, change, message) => {
    await openVault(file(), place.db)
    await expect(rotate(file(), 2)).rejects.toThrow(Interrupted)
    await runSql(place.config, `update master_key_handover set ${change}`)
    const error: unknown = await rotate(file()).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(OperatorError)
    expect((error as Error).message).toContain('The table master_key_handover is damaged')
    expect((error as Error).message).toContain(message)
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
    const [handover] = await runSql(place.config, 'select new_key_id as id from master_key_handover')
    await expect(rotate(file())).rejects.toThrow(
      `${keyFile}.new must contain the new master key ${String(handover?.['id'])}, not ${MasterKey.parse(text.trim())?.id ?? ''}: move it away.`,
    )
    expect(await readFile(`${keyFile}.new`, 'utf8')).toBe(text)
  })

  it('refuses a copy of the old key as the new one', async () => {
    await openVault(file(), place.db)
    const text = await readFile(keyFile, 'utf8')
    await writeFile(`${keyFile}.new`, text, { mode: 0o600 })
    await expect(rotate(file())).rejects.toThrow(
      `${keyFile}.new contains the old master key ${MasterKey.parse(text.trim())?.id ?? ''}: delete it, and run svc key rotate again.`,
    )
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

  it('a server that has missed a rotation opens the secrets of the next one while it runs', async () => {
    const suspended = await openVault(file(), place.db)
    await rows.store(suspended, 2)
    await rotate(file())
    await expect(rotate(file(), 3)).rejects.toThrow(Interrupted)
    await rows.expectAll(suspended, 2)
  })
})
