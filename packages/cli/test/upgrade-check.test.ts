import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { expect, it } from 'vitest'
import { emptyPlace, svc } from './svc.js'

it('svc doctor --upgrade-check ends with 0 if going back keeps all writes, and with 1 if it needs a backup', async () => {
  await using place = await emptyPlace()
  await svc(['user', 'add', 'ada@example.com'], place)
  const check = (...args: string[]) => svc(['doctor', '--upgrade-check', ...args], place)
  const applied = (name: string) => {
    const handle = new BetterSqlite(join(place.cwd, 'data/svc.db'))
    handle.prepare(`insert into kysely_migration values (?, '2030-01-01')`).run(name)
    handle.close()
  }
  expect(await check()).toMatchObject({ code: 0, stderr: expect.stringContaining('Going back keeps all writes.') })

  applied('9998-later.additive')
  const added = await check('--json')
  expect([added.code, JSON.parse(added.stdout)]).toEqual([
    0,
    { keeps_writes: true, pending: [], unknown: ['9998-later.additive'] },
  ])
  expect((await svc(['user', 'list'], place)).stdout).toContain('ada@example.com')

  applied('9999-later')
  expect(await check()).toMatchObject({ code: 1, stderr: expect.stringMatching(/\(9999-later\): restore the backup/) })
  expect((await svc(['user', 'list'], place)).code).toBe(1)
})

it('svc doctor --upgrade-check refuses a missing database, and options of other checks', async () => {
  await using place = await emptyPlace()
  expect(await svc(['doctor', '--upgrade-check'], place)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^svc: There is no database /),
  })
  expect(await svc(['doctor', '--upgrade-check', '--zone', 'example.com'], place)).toMatchObject({
    code: 2,
    stderr: 'svc: --zone and --upgrade-check exclude each other: use one of them.\n',
  })
})
