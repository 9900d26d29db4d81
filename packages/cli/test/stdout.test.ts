import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { expect, it, vi } from 'vitest'
import { bin, emptyPlace, start, svc } from './svc.js'

// Each test starts a process, whose stdout is the point.
vi.setConfig({ testTimeout: 60_000 })

it('a full disk behind stdout is one sentence and exit code 1, and no account is left', async () => {
  await using place = await emptyPlace()
  await using full = await open('/dev/full', 'w')
  const child = spawn(process.execPath, [bin, 'user', 'add', 'ada@example.com'], {
    cwd: place.cwd,
    stdio: ['ignore', full.fd, 'pipe'],
  })
  const [stderr] = await Promise.all([text(child.stderr!), once(child, 'close')])
  expect([child.exitCode, stderr.split('\n').slice(1)]).toEqual([
    1,
    [expect.stringMatching(/^svc: stdout cannot be written: .*; the account ada@example.com is removed again\.$/), ''],
  ])
  expect((await svc(['user', 'list', '--json'], place)).stdout).toBe('[]\n')
})

it('a reader that leaves ends a list quietly with exit code 0', async () => {
  await using place = await emptyPlace()
  await svc(['user', 'add', 'ada@example.com'], place)
  const child = start(['user', 'list'], place)
  child.stdout.destroy()
  const [stderr] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect([child.exitCode, stderr]).toEqual([0, ''])
})
