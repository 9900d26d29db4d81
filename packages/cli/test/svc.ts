import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** `svc` as it is typed, in a process of its own: the build, which `npm test` makes first. */
const bin = fileURLToPath(new URL('../bin/svc.js', import.meta.url))

/** The same, offering every operation of the contract: also those that no server has yet. */
export const wholeContract = fileURLToPath(new URL('svc-whole-contract.js', import.meta.url))

export interface Place {
  /** The working directory: empty at first. */
  readonly cwd: string
  /** Settings in the environment; nothing else there begins with SVC_. */
  readonly env?: Readonly<Record<string, string>>
  /** What to run instead of `svc`. */
  readonly script?: string
}

/** A working directory that vanishes with the test. */
export async function emptyPlace(): Promise<Place & AsyncDisposable> {
  const cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'))
  return { cwd, [Symbol.asyncDispose]: () => rm(cwd, { recursive: true }) }
}

function start(args: readonly string[], { cwd, env, script = bin }: Place): ChildProcessWithoutNullStreams {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'))
  // A source of exchange rates that nobody answers at: tests do not reach the internet. Many servers run at once.
  const own = { SVC_FX_URL: 'http://127.0.0.1:9/usd.json', SVC_DNS_PORT: '0', ...env }
  return spawn(process.execPath, [script, ...args], { cwd, env: { ...Object.fromEntries(others), ...own } })
}

export interface Result {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs one command to its end. */
export async function svc(args: readonly string[], place: Place, stdin: string | Uint8Array = ''): Promise<Result> {
  const child = start(args, place)
  child.stdin.end(stdin)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: child.exitCode, stdout, stderr }
}

export interface Serving {
  readonly url: string
  readonly child: ChildProcessWithoutNullStreams
  /** The lines of its log so far. */
  readonly log: Record<string, unknown>[]
  readonly stderr: () => string
  /** Resolves when the process has ended, with its exit code (null when a signal ended it). */
  readonly ended: Promise<number | null>
  /** Tells it to stop. @returns its exit code */
  readonly stop: () => Promise<number | null>
}

/** `svc serve` on a free port, once it listens. It is killed with the test, where it has not ended before. */
export async function svcServe(place: Place, ...flags: string[]): Promise<Serving & AsyncDisposable> {
  const child = start(['serve', '--port', '0', ...flags], place)
  const log: Record<string, unknown>[] = []
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const ended = once(child, 'close').then(() => child.exitCode)
  const url = await new Promise<string>((resolve, reject) => {
    let partial = ''
    child.stdout.on('data', (chunk: Buffer) => {
      const lines = (partial + chunk.toString()).split('\n')
      partial = lines.pop() ?? ''
      for (const line of lines) log.push(JSON.parse(line) as Record<string, unknown>)
      const listening = log.find(({ msg }) => msg === 'listening')
      if (listening !== undefined) resolve(String(listening['url']))
    })
    void ended.then(() => reject(new Error(`svc serve ended: ${stderr}`)))
  })
  const stop = () => {
    child.kill()
    return ended
  }
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  return { url, child, log, stderr: () => stderr, ended, stop, [Symbol.asyncDispose]: kill }
}
