import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, vi } from 'vitest'
import { ensure } from '../test/servers/index.js'

interface Traced {
  readonly child: { readonly pid?: number | undefined }
}

/**
 * Makes system calls of a running process fail, until disposed.
 * @param fault an argument of strace's `inject=`: `fsync,fdatasync:error=EIO:when=1`; `when` counts the calls of each thread
 * @param path a file or folder, for only the calls on it
 */
export async function inject({ child }: Traced, fault: string, path?: string): Promise<AsyncDisposable> {
  const calls = fault.slice(0, fault.indexOf(':'))
  const args = ['-f', '-p', String(child.pid), '-e', `trace=${calls}`, '-e', `inject=${fault}`, '-o', '/dev/null']
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
