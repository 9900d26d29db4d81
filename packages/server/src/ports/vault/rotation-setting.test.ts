import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../test/app.js'
import { follow, Interrupted, rotationSite, setting, type RotationSite } from '../../../test/rotation-site.js'
import { runSql } from '../../../test/site.js'
import { MasterKey } from '../../shared/master-key.js'
import { openVault } from './envelope-vault.js'

/** How many sentences a rotation with a setting says before it changes the secrets. */
const steps = 3

describe.each(databaseKinds)('rotation of SVC_MASTER_KEY on %s', (kind) => {
  let site: RotationSite
  let place: RotationSite['place']
  let rows: RotationSite['rows']
  let printedKey: RotationSite['printedKey']
  let rotate: RotationSite['rotate']
  beforeEach(async () => {
    site = await rotationSite(kind)
    ;({ place, rows, printedKey, rotate } = site)
  })
  afterEach(() => site.stop())

  it('prints the new SVC_MASTER_KEY before anything changes', async () => {
    const key = MasterKey.random()
    await rows.store(await openVault(setting(key), place.db), 3)
    await expect(rotate(setting(key), 0)).rejects.toThrow(Interrupted)
    expect(await runSql(place.config, 'select * from master_key_handover')).toEqual([])
    const { newId } = await rotate(setting(key))
    expect(printedKey()?.id).toBe(newId)
  })

  it('a printed key that was lost is printed again; the old key suffices until a server has the new one', async () => {
    const key = MasterKey.random()
    const running = await openVault(setting(key), place.db)
    await rows.store(running, 3)
    const { newId, hasEnded } = await rotate(setting(key))
    const first = printedKey()
    expect(first?.id).toBe(newId)
    expect(await rotate(setting(key))).toMatchObject({ newId, hasEnded, rewrapped: 0 })
    expect({ hasEnded, id: printedKey()?.id }).toEqual({ hasEnded: false, id: newId })
    await follow(running, place.db)
    await rows.expectAll(await openVault(setting(key), place.db), 3)

    const restarted = await openVault(setting(printedKey()), place.db)
    await follow(restarted, place.db)
    expect(await runSql(place.config, 'select * from master_key_handover')).toEqual([])
    for (const vault of [running, restarted]) await rows.expectAll(vault, 3)
    await expect(openVault(setting(key), place.db)).rejects.toThrow(newId)
    await expect(rotate(setting(key))).rejects.toThrow(newId)
  })

  it('the command with the new SVC_MASTER_KEY ends the rotation too', async () => {
    const key = MasterKey.random()
    await openVault(setting(key), place.db)
    const { newId } = await rotate(setting(key))
    expect(await rotate(setting(printedKey()))).toMatchObject({ newId, hasEnded: true })
    await expect(openVault(setting(key), place.db)).rejects.toThrow(newId)
  })

  it('a server with the new key rewraps what a killed command has left', async () => {
    const key = MasterKey.random()
    await rows.store(await openVault(setting(key), place.db), 5)
    await expect(rotate(setting(key), 2)).rejects.toThrow(Interrupted)
    const next = printedKey()
    await follow(await openVault(setting(next), place.db), place.db)
    await rows.expectAll(await openVault(setting(next), place.db), 5)
    expect(await runSql(place.config, 'select distinct master_key_id from credential')).toEqual([
      { master_key_id: next?.id },
    ])
  })

  it.each(Array.from({ length: steps }, (_, i) => i + 1))(
    'continues after an interruption at step %i with SVC_MASTER_KEY, with the old or the new key',
    async (step) => {
      const key = MasterKey.random()
      const running = await openVault(setting(key), place.db)
      await rows.store(running, 5)
      await expect(rotate(setting(key), step)).rejects.toThrow(Interrupted)
      await follow(running, place.db)
      const next = printedKey()
      for (const given of [key, next]) await rows.expectAll(await openVault(setting(given), place.db), 5)
      const { newId } = await rotate(setting(step === 2 ? next : key))
      expect(next?.id).toBe(newId)
      await rows.expectAll(running, 5)
      await rows.expectAll(await openVault(setting(next), place.db), 5)
    },
  )

  it('a server that was suspended during the whole rotation, with SVC_MASTER_KEY, follows until the rotation ends', async () => {
    const key = MasterKey.random()
    const suspended = await openVault(setting(key), place.db)
    await rows.store(suspended, 2)
    await rotate(setting(key))
    await rows.expectAll(suspended, 2)
  })

  it('a server that was suspended until another one had the new SVC_MASTER_KEY says that it must be restarted', async () => {
    const key = MasterKey.random()
    const suspended = await openVault(setting(key), place.db)
    await rows.store(suspended, 2)
    await rotate(setting(key))
    await follow(await openVault(setting(printedKey()), place.db), place.db)
    await expect(rows.expectAll(suspended, 2)).rejects.toThrow('restart svc with that key')
    await expect(rows.store(suspended, 3)).rejects.toThrow('restart svc with that key')
  })
})
