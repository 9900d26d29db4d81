import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { bin, emptyPlace, svcServe, type Place } from '../../packages/cli/test/svc.js'
import { ensure } from '../../test/servers/index.js'

/** SIGHUP: a service goes on, and a server on a terminal that is closed stops as at SIGTERM. */

it('a server without a terminal goes on after SIGHUP, and says so in its log', async () => {
  await using place = await emptyPlace()
  await using server = await svcServe(place)
  for (let i = 1; i <= 3; i++) {
    server.child.kill('SIGHUP')
    await vi.waitFor(() =>
      expect(server.log.filter(({ msg }) => String(msg).startsWith('SIGHUP changes nothing'))).toHaveLength(i),
    )
  }
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  expect(await server.stop()).toBe(0)
})

/** Starts a server on a pseudo-terminal. `script` ends with its exit code. */
async function onTerminal({ cwd }: Place) {
  ensure('script')
  const command = `echo $$ >pid; exec '${process.execPath}' '${bin}' serve --port 0 --dns-port 0`
  const terminal = spawn('script', ['-qec', command, '/dev/null'], { cwd, stdio: ['ignore', 'pipe', 'ignore'] })
  let output = ''
  terminal.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await vi.waitFor(() => expect(output).toContain('"listening"'), 15_000)
  return { terminal, pid: Number(await readFile(join(cwd, 'pid'), 'utf8')), output: () => output }
}

it('a server on a terminal stops at SIGHUP as at SIGTERM', async () => {
  await using place = await emptyPlace()
  const { terminal, pid, output } = await onTerminal(place)
  process.kill(pid, 'SIGHUP')
  expect(await once(terminal, 'close')).toEqual([0, null])
  expect(output()).toContain('"signal":"SIGHUP","msg":"stopping"')
  expect(output()).toContain('"msg":"stopped"')
})

it('a server whose terminal is closed ends', async () => {
  await using place = await emptyPlace()
  const { terminal, pid } = await onTerminal(place)
  terminal.kill('SIGKILL')
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), 15_000)
})
