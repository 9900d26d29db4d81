import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ensure } from '../../test/servers/ensure.js'
import { freePort } from '../../test/servers/process.js'

/** Starts the programs of a bench: the measured one runs on core 0, the load generator on core 1. */

const startDeadlineMs = 20_000
const svc = fileURLToPath(new URL('../../packages/cli/bin/svc.js', import.meta.url))
const run = promisify(execFile)

/** The command prefix that runs a program on one core; empty on a machine with a single core. */
export const pin = (core: number): string[] => (availableParallelism() > 1 ? ['taskset', '-c', String(core)] : [])

export interface Program {
  readonly url: string
  readonly pid: number
  /** Milliseconds from the start of the process until it listened. */
  readonly startMs: number
  readonly stop: () => Promise<void>
}

/**
 * Starts `svc serve` on a data directory. Its log goes to a file, as under a service manager.
 * @param under prefix of the command; by default it runs on core 0
 */
export async function startSvc(
  data: string,
  flags: readonly string[] = [],
  under: readonly string[] = pin(0),
): Promise<Program> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const command = [...under, svc, 'serve', '--data', data, '--port', String(port), '--dns-port', '0', ...flags]
  return start(command, `${data}-${port}.log`, () =>
    fetch(`${url}/healthz`).then(
      () => url,
      () => undefined,
    ),
  )
}

/** Starts a program that prints its URL. @param file relative to this directory @param listening matches the line with the URL */
export const startBenchProgram = (file: string, log: string, listening: RegExp, ...args: string[]): Promise<Program> =>
  start([...pin(0), 'node', '--import', 'tsx', fileURLToPath(new URL(file, import.meta.url)), ...args], log, () =>
    Promise.resolve(listening.exec(readFileSync(log, 'utf8'))?.[1]),
  )

/** Starts the baseline server. @param args `fastify` for Fastify instead of node:http, `https` and a file with certificate and key for node:https */
export const startBareServer = (log: string, ...args: string[]): Promise<Program> =>
  startBenchProgram('bare-server.ts', log, /^(https?:\S+)/m, ...args)

/** Starts a program on core 0. @param answers a URL of the program that answers once it listens */
export const startServer = (command: readonly string[], log: string, answers: string): Promise<Program> =>
  start([...pin(0), ...command], log, () =>
    fetch(answers).then(
      () => new URL(answers).origin,
      () => undefined,
    ),
  )

const running = new Set<ChildProcess>()
// A program that is left by a failed bench would take CPU time from the next run.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** @param listening returns the URL once the program listens, undefined before */
async function start(
  command: readonly string[],
  log: string,
  listening: () => Promise<string | undefined>,
): Promise<Program> {
  const [program = '', ...args] = command
  const out = openSync(log, 'w')
  const began = performance.now()
  const child = spawn(program, args, { stdio: ['ignore', out, out] })
  running.add(child)
  child.once('exit', () => running.delete(child))
  while (child.exitCode === null && performance.now() - began < startDeadlineMs) {
    const url = await listening()
    if (url !== undefined)
      return { url, pid: child.pid ?? 0, startMs: performance.now() - began, stop: () => stop(child) }
    await sleep(5)
  }
  child.kill('SIGKILL')
  throw new Error(`${command.join(' ')} does not listen:\n${readFileSync(log, 'utf8')}`)
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => {
      resolve()
    })
    child.kill('SIGTERM')
  })
}

/** Runs a command of the operator. @returns its JSON output */
export async function runOperatorCommand(data: string, ...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await run('node', [svc, ...args, '--data', data, '--json'])
  return JSON.parse(stdout) as Record<string, unknown>
}

/** Adds the account bench@example.com. @param flags of the commands, such as the database @returns a token with all scopes */
export async function addAccount(data: string, ...flags: string[]): Promise<string> {
  await runOperatorCommand(data, 'user', 'add', 'bench@example.com', ...flags)
  const names = ['--name', 'bench', '--scope', '*']
  const { token } = await runOperatorCommand(data, 'token', 'add', 'bench@example.com', ...names, ...flags)
  return String(token)
}

export interface Load {
  readonly seconds?: number
  readonly connections?: number
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  /** File with a script of wrk, which forms the requests. */
  readonly script?: string
}

/** Measures requests per second with wrk on core 1. @throws Error if a request fails */
export async function requestsPerSecond(
  url: string,
  { seconds = 2, connections = 32, token, headers, script }: Load = {},
): Promise<number> {
  const sent = { ...headers, ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }) }
  const lines = Object.entries(sent).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const scripted = script === undefined ? [] : ['-s', script]
  const flags = ['-t1', `-c${connections}`, `-d${seconds}s`, ...scripted, ...lines]
  const [program, ...args] = [...pin(1), ensure('wrk'), ...flags, url]
  const { stdout } = await run(program, args)
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${url} failed under load:\n${stdout}`)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
}
