import { mkdir, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { smallInstallation } from '../../server/test/installation.js'
import { emptyPlace, svc } from './svc.js'

vi.setConfig({ testTimeout: 60_000 })

it('backs up, restores and moves an installation with the commands of an operator', async () => {
  await using place = await emptyPlace()
  await mkdir(join(place.cwd, 'data'))
  await smallInstallation(join(place.cwd, 'data'), 'sqlite')

  const made = await svc(['backup', 'a.svc'], place)
  expect(made).toMatchObject({ code: 0, stdout: '' })
  expect(made.stderr).toMatch(/^a\.svc: \d+\.\d KiB, 6 rows, 2 objects, in 0:0\d\.\n$/)
  expect((await stat(join(place.cwd, 'a.svc'))).mode & 0o777).toBe(0o600)
  expect(await svc(['backup', 'a.svc'], place)).toMatchObject({
    code: 1,
    stderr: 'svc: a.svc exists already: name another file, or remove it.\n',
  })

  const restored = await svc(['restore', 'a.svc', '--data', 'other'], place)
  expect(restored.stderr).toMatch(/^Restored the backup of .+Z: 6 rows, 2 objects \(128 B\)\.\nStart svc serve\.\n$/)
  expect(await svc(['user', 'list', '--data', 'other'], place)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('b@example.com') as string,
  })
  expect(await svc(['restore', 'a.svc', '--data', 'other'], place)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is in use: its table account has rows.') as string,
  })

  const file = join(place.cwd, 'moved.db')
  const moved = await svc(['database', 'move', '--to', `sqlite:${file}`], place)
  expect(moved.stderr.replace(/of \d+ tables/, 'of n tables')).toBe(
    `Moved 6 rows of n tables. Both databases have the same rows.\nSet SVC_DATABASE=sqlite:${file} and start the server. The old database keeps its rows; no server starts with it.\n`,
  )
  const refused = await svc(['user', 'list'], place)
  expect([refused.code, refused.stderr]).toEqual([
    1,
    `svc: This database was moved to sqlite:${file}, or a move to it has not ended: set SVC_DATABASE to that one, or repeat svc database move. To go on with this one instead, run svc database reopen.\n`,
  ])
  expect((await svc(['user', 'list', '--database', `sqlite:${file}`], place)).code).toBe(0)
  expect(await svc(['database', 'reopen'], place)).toMatchObject({
    code: 0,
    stderr: 'Servers can use this database again.\n',
  })
  expect((await svc(['user', 'list'], place)).code).toBe(0)
})

it('makes no archive without the directory of the objects', async () => {
  await using place = await emptyPlace()
  await mkdir(join(place.cwd, 'data'))
  await smallInstallation(join(place.cwd, 'data'), 'sqlite')
  await rename(join(place.cwd, 'data', 'files'), join(place.cwd, 'away'))
  expect(await svc(['backup', 'a.svc'], place)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^svc: The directory of the files, .+, cannot be opened/) as string,
  })
  await expect(stat(join(place.cwd, 'a.svc'))).rejects.toThrow('ENOENT')
})
