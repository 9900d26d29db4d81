import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, closeSync, readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { createSocket } from 'node:dgram'
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

/** Ports of this test worker, below 32768, where the system takes no ports for outgoing connections. Two workers share none. */
const ports = { first: 20_000 + 1_000 * Number(process.env['VITEST_POOL_ID'] ?? 0), count: 1_000 }

let lastPort = randomInt(ports.count)

/** A port on 127.0.0.1 that is free for TCP and UDP. */
export async function freePort(): Promise<number> {
  for (;;) {
    lastPort = (lastPort + 1) % ports.count
    const port = ports.first + lastPort
    if ((await bindsTcp(port)) && (await bindsUdp(port))) return port
  }
}

function bindsTcp(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => {
      resolve(false)
    })
    server.listen(port, '127.0.0.1', () =>
      server.close(() => {
        resolve(true)
      }),
    )
  })
}

function bindsUdp(port: number): Promise<boolean> {
  const socket = createSocket('udp4')
  return new Promise((resolve) => {
    socket.once('error', () => {
      resolve(false)
    })
    socket.bind(port, '127.0.0.1', () =>
      socket.close(() => {
        resolve(true)
      }),
    )
  })
}

/** Whether a server accepts TCP connections. */
export function accepts(port: number, address = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, address, () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => {
      resolve(false)
    })
  })
}

export interface Running {
  readonly pid: number
  /** Sends the signal (default SIGTERM) and waits for the end of the process. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

export interface Start {
  readonly command: string
  readonly args: readonly string[]
  /** File for its output, which is part of the error if it does not start. */
  readonly log: string
  /** Called every 25 ms until it returns true. */
  readonly ready: () => boolean | Promise<boolean>
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  readonly deadlineMs?: number
}

/** Starts a server and waits until it is ready. */
export async function startProcess({
  command,
  args,
  log,
  ready,
  env,
  cwd,
  deadlineMs = 20_000,
}: Start): Promise<Running> {
  const output = openSync(log, 'a')
  const child = spawn(command, args, { stdio: ['ignore', output, output], env: env ?? process.env, cwd })
  closeSync(output)
  await once(child, 'spawn')
  const ended = once(child, 'exit')
  const alive = () => child.exitCode === null && child.signalCode === null
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (alive()) child.kill(signal)
    if (alive()) await ended
  }

  const deadline = Date.now() + deadlineMs
  while (alive() && Date.now() < deadline) {
    if (await ready()) return { pid: child.pid ?? 0, stop }
    await sleep(25)
  }
  await stop('SIGKILL')
  throw new Error(`${command} did not start:\n${readFileSync(log, 'utf8')}`)
}
