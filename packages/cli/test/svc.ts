import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { runWarm } from './warm-svc.js'

/** The built `svc`, as a separate process. `npm test` builds it first. */
export const bin = fileURLToPath(new URL('../bin/svc.js', import.meta.url))

export interface Place {
  /** The working directory, empty at first. */
  readonly cwd: string
  /** The only SVC_ variables in the environment. */
  readonly env?: Readonly<Record<string, string>>
  /** The program of Node.js that runs processes; that of the tests if not set. */
  readonly node?: string
}

/** A working directory that is removed at the end of the test. */
export async function emptyPlace(): Promise<Place & AsyncDisposable> {
  const cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'))
  return { cwd, [Symbol.asyncDispose]: () => rm(cwd, { recursive: true }) }
}

function environmentOf({ env }: Place): Record<string, string | undefined> {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'))
  // Tests do not use the internet: no server listens at this URL for exchange rates. Port 0 is a free port.
  const defaults = { SVC_FX_URL: 'http://127.0.0.1:9/usd.json', SVC_PORT: '0', SVC_DNS_PORT: '0' }
  return { ...Object.fromEntries(others), ...defaults, ...env }
}

/** Starts a command. Its stdin is open. */
export function start(args: readonly string[], place: Place): ChildProcessWithoutNullStreams {
  return spawn(place.node ?? process.execPath, [bin, ...args], { cwd: place.cwd, env: environmentOf(place) })
}

export interface Result {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command as a process, and waits for its end. */
export async function svcProcess(
  args: readonly string[],
  place: Place,
  stdin: string | Uint8Array = '',
): Promise<Result> {
  const child = start(args, place)
  child.stdin.end(stdin)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: child.exitCode, stdout, stderr }
}

/** Runs a command and waits for its end, without the start of a process except for `serve`. */
export async function svc(args: readonly string[], place: Place, stdin: string | Uint8Array = ''): Promise<Result> {
  if (args[0] === 'serve') return svcProcess(args, place, stdin)
  const { code, stdout, stderr } = await runWarm({ args, cwd: place.cwd, env: environmentOf(place), stdin })
  return { code, stdout: Buffer.from(stdout).toString(), stderr: Buffer.from(stderr).toString() }
}

export interface Serving {
  readonly url: string
  readonly child: ChildProcessWithoutNullStreams
  /** The lines of its log so far. */
  readonly log: Record<string, unknown>[]
  readonly stderr: () => string
  /** Resolves with the exit code when the process has ended; null if a signal ended it. */
  readonly ended: Promise<number | null>
  /** Sends SIGTERM. @returns the exit code */
  readonly stop: () => Promise<number | null>
}

/** Starts `svc serve` on a free port and waits until it listens. It is killed at the end of the test. */
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
