import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** A form of a release, installed as its users do. */

/** Where a server has its data: a form has two of them. */
export type Place = 'first' | 'second'

export type Started = ChildProcessByStdio<Writable, Readable, Readable>

export type Environment = Readonly<Record<string, string>>

export interface Form {
  /** How its messages call the command line. */
  readonly command: string
  /** How long the installation took, in milliseconds, without the network. */
  readonly installMs: number
  /** Starts a command as an operator does. */
  readonly start: (place: Place, args: readonly string[], env: Environment) => Started
  /** Starts the server as its users do, or their service manager. */
  readonly serve: (place: Place, env: Environment) => Started
  /** Removes everything. */
  readonly remove: () => Promise<unknown>
}

/** The folder that `scripts/release.sh` writes. */
const releaseFolder = fileURLToPath(new URL('../../dist/release', import.meta.url))

/** The file of the release whose name ends so. @throws Error unless there is exactly one */
export async function releaseFile(end: RegExp): Promise<string> {
  const found = (await readdir(releaseFolder).catch(() => [])).filter((name) => end.test(name))
  const [name] = found
  if (name === undefined || found.length > 1)
    throw new Error(`dist/release has ${found.length} files ${String(end)}: run scripts/release.sh first.`)
  return join(releaseFolder, name)
}

export const spawnPiped = (program: string, args: readonly string[], env: Environment, cwd = '/'): Started =>
  spawn(program, args, { env, cwd, stdio: 'pipe' })

/** Waits for the end of a command. @throws Error unless its exit code is 0 */
export async function output(child: Started, stdin?: Uint8Array): Promise<Buffer> {
  // Writing nothing would fail too, if the command has ended.
  if (stdin === undefined) child.stdin.end()
  else child.stdin.end(stdin)
  const [stdout, stderr] = await Promise.all([buffer(child.stdout), text(child.stderr), once(child, 'close')])
  if (child.exitCode !== 0) throw new Error(`Exit code ${child.exitCode} of ${child.spawnargs.join(' ')}:\n${stderr}`)
  return stdout
}

/** Runs work. @returns how long it took, in milliseconds */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

/** The environment of this process, without settings of svc. Package managers find their configuration in it. */
export const environment: Environment = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || name.startsWith('SVC_') ? [] : [[name, value]],
  ),
)

/** Runs a program of this machine. @returns its output @throws Error unless its exit code is 0 */
export const run = async (program: string, ...args: string[]): Promise<string> =>
  String(await output(spawnPiped(program, args, environment)))
