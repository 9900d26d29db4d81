import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const sources = new URL('..', import.meta.url).href

/** Runs a program that can call `endProcess`. @returns its exit code or the signal that ended it */
async function ended(program: string): Promise<unknown> {
  const prelude = `import fs from 'node:fs'; import { endProcess } from '${sources}serve/end.ts';`
  const args = ['--import', 'tsx', '--input-type=module', '--eval', prelude + program]
  const child = spawn(process.execPath, args, { stdio: 'ignore' })
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  return code ?? signal
}

it('ends the process with the exit code although timers and connections are open', async () => {
  expect(await ended(`setInterval(() => {}, 1000); void endProcess(7)`)).toBe(7)
})

it('waits for short work of the thread pool', async () => {
  expect(await ended(`fs.readFile('/dev/null', () => { process.exitCode = 1 }); void endProcess(7)`)).toBe(7)
})

it('ends the process although a thread of the pool is stuck', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-end-'))
  const fifo = join(folder, 'fifo')
  execFileSync('mkfifo', [fifo])
  // Blocks until the other side is opened, which never happens.
  expect(await ended(`fs.open('${fifo}', 'r', () => {}); void endProcess(0)`)).toBe('SIGKILL')
  await rm(folder, { recursive: true })
})
