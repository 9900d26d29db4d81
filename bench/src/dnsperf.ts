import { execFile, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { ensure } from '../../test/servers/ensure.js'
import { p99 } from './measure.js'
import { pin } from './programs.js'

const run = promisify(execFile)

const command = (port: number, queries: string, ...options: string[]): [string, string[]] => {
  const [program, ...args] = [...pin(1), ensure('dnsperf'), '-s', '127.0.0.1', '-p', String(port), '-d', queries]
  return [program, [...args, ...options]]
}

/** How long `queriesPerSecond` sends queries. */
export const loadSeconds = 2

/** Answered queries per second at the highest load that dnsperf can send. */
export async function queriesPerSecond(port: number, queries: string): Promise<number> {
  const { stdout } = await run(...command(port, queries, '-l', String(loadSeconds), '-c', '8', '-q', '100'))
  return Number(/Queries per second:\s+([\d.]+)/.exec(stdout)?.[1])
}

/** The 99th percentile of the response time in milliseconds, at a rate of `rate` queries per second. */
export async function p99At(port: number, queries: string, rate: number): Promise<number> {
  const child = spawn(...command(port, queries, '-l', '3', '-Q', String(Math.round(rate)), '-v'))
  const ms: number[] = []
  // With -v, dnsperf prints a line per answer: `> NOERROR www.example.com A 0.000123`
  for await (const line of createInterface({ input: child.stdout })) {
    const seconds = /^> \w+ \S+ \w+ ([\d.]+)$/.exec(line)?.[1]
    if (seconds !== undefined) ms.push(Number(seconds) * 1000)
  }
  return p99(ms)
}
