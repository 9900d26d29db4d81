import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { emptyPlace, svc } from './svc.js'

vi.setConfig({ testTimeout: 60_000 })

it('an account moves from file to file, and the changes are on stdout', async () => {
  await using place = await emptyPlace()
  await svc(['user', 'add', 'ada@example.com', '--nickname', 'Ada'], place)
  await svc(['token', 'add', 'ada@example.com', '--name', 'ci'], place)

  const exported = await svc(['account', 'export', 'Ada@example.com', 'ada.svc'], place)
  expect(exported).toMatchObject({ code: 0, stdout: '' })
  expect(exported.stderr).toMatch(/^Exported ada@example\.com to ada\.svc: 2 rows, 0 objects, [\d.]+ KiB\.\n$/)
  expect((await stat(join(place.cwd, 'ada.svc'))).mode & 0o777).toBe(0o600)

  const imported = await svc(['account', 'import', 'ada.svc', '--email', 'bob@example.com'], place)
  expect(imported).toMatchObject({ code: 0, stderr: 'Imported bob@example.com: 2 rows, 0 objects.\n' })
  expect(imported.stdout).toMatch(/^The token svc_\w+… \(ci\) is left out: it exists in this installation\.\n$/)
})
