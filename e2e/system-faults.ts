import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, vi } from 'vitest'
import type { Serving } from '../packages/cli/test/svc.js'
import { ensure } from '../test/servers/index.js'

/**
 * Makes system calls of a running process fail, until disposed.
 * @param fault an argument of strace's `inject=`: `fsync,fdatasync:error=EIO:when=1`
 */
export async function inject(server: Serving, fault: string): Promise<AsyncDisposable> {
  const calls = fault.slice(0, fault.indexOf(':'))
  const args = [
    '-f',
    '-p',
    String(server.child.pid),
    '-e',
    `trace=${calls}`,
    '-e',
    `inject=${fault}`,
    '-o',
    '/dev/null',
  ]
  const strace = spawn(ensure('strace'), args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(strace, 'exit')
  // "Process 123 attached with 12 threads"
  let output = ''
  strace.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await vi.waitFor(() => expect(output).toContain('attached'), 10_000)
  return {
    async [Symbol.asyncDispose]() {
      strace.kill('SIGINT')
      await ended
    },
  }
}
