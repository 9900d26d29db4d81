import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { emptyPlace, svc, type Place } from './svc.js'

/** `svc dns history` and `svc dns revert`, beside no server. */

// Commands load the whole of svc.
vi.setConfig({ testTimeout: 60_000 })

let place: Place & AsyncDisposable
beforeAll(async () => {
  place = await emptyPlace()
  await svc(['user', 'add', 'ada@example.com'], place)
  await svc(['dns', 'assign', 'example.com', 'ada@example.com'], place)
  for (const address of ['192.0.2.1', '192.0.2.7'])
    await svc(['dns', 'import', 'example.com', '--replace'], place, `www 300 A ${address}\n`)
})
afterAll(() => place[Symbol.asyncDispose]())

const dns = (...args: string[]) => svc(['dns', ...args], place)

/** The serials that `svc dns history` lists, newest first. */
const serials = async (): Promise<string[]> =>
  [...(await dns('history', 'example.com')).stdout.matchAll(/^\d+/gm)].map(([serial]) => serial)

it('lists changes with the command that made them, and takes one back', async () => {
  const listed = await dns('history', 'example.com', '--limit', '2')
  expect(listed.stderr).toBe('example.com of ada@example.com: 2 of 3 changes.\n')
  const lines = listed.stdout.trimEnd().split('\n')
  expect(lines[1]).toMatch(/^\d+ +\S+Z +svc dns import +- www 300 A 192\.0\.2\.1$/)
  expect(lines[2]).toMatch(/^ +\+ www 300 A 192\.0\.2\.7$/)
  expect(lines[3]).toMatch(/svc dns import +\+ www 300 A 192\.0\.2\.1$/)
  const [last = ''] = await serials()

  const preview = await dns('revert', 'example.com', last, '--dry-run')
  expect(preview).toEqual({
    code: 0,
    stdout: '- www 300 A 192.0.2.7\n+ www 300 A 192.0.2.1\n',
    stderr: 'This would change example.com of ada@example.com. Nothing was changed.\n',
  })
  const done = await dns('revert', 'example.com', last)
  expect([done.code, done.stdout]).toEqual([0, preview.stdout])
  expect(done.stderr).toBe(
    `example.com of ada@example.com has the serial ${Number(last) + 1} now; svc dns revert takes that back too.\n`,
  )
  expect((await dns('export', 'example.com')).stdout).toContain('192.0.2.1')
  expect((await dns('history', 'example.com', '--limit', '1')).stdout).toContain('svc dns revert')
})

it('restores the whole zone at a serial, and says if nothing differs', async () => {
  const [first = ''] = (await serials()).slice(-1)
  expect((await dns('history', 'example.com')).stdout).toMatch(/svc dns assign +claim\n/)
  expect((await dns('revert', 'example.com', first, '--to')).stdout).toBe('- www 300 A 192.0.2.1\n')
  const again = await dns('revert', 'example.com', first, '--to')
  expect(again.stderr).toBe('example.com of ada@example.com is so already: nothing was changed.\n')
})

it('restores a zone that the operator has deleted', async () => {
  await svc(['dns', 'import', 'example.com'], place, 'kept 300 A 192.0.2.9\n')
  const [before = ''] = await serials()
  await dns('delete', 'example.com', '--yes')
  await dns('assign', 'example.com', 'ada@example.com')
  expect((await dns('history', 'example.com')).stdout).toMatch(/svc dns delete +delete\n +- kept 300 A 192\.0\.2\.9\n/)
  expect((await dns('revert', 'example.com', before, '--to')).stdout).toBe('+ kept 300 A 192.0.2.9\n')
})

it.each([
  ['a zone without a holder', ['history', 'none.example'], 1, 'none.example is not verified for any account.'],
  ['a serial that is none', ['revert', 'example.com', 'abc'], 2, 'The serial must be a whole number, not abc.'],
  ['a limit that is none', ['history', 'example.com', '--limit', '0'], 2, '--limit must be a whole number, not 0.'],
  [
    'a serial without a change',
    ['revert', 'example.com', '1'],
    1,
    'There is no such serial in the history of this zone.',
  ],
])('refuses %s', async (_, args, code, message) => {
  const refused = await dns(...args)
  expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(message)])
})
