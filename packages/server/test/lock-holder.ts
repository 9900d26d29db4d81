import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseConfig } from '../src/db/connect.js'

/** Locks a database from another process: two connections of one process would not test locks between processes. */

const script = fileURLToPath(new URL('lock-holder.mjs', import.meta.url))

async function start(job: object) {
  const child = spawn(process.execPath, ['--import', 'tsx', script, JSON.stringify(job)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  await Promise.race([
    once(child.stdout, 'data'),
    ended.then(() => {
      throw new Error('The lock holder has ended.')
    }),
  ])
  return { child, ended, kill, [Symbol.asyncDispose]: kill }
}

/** A process that holds the lock until `release` or `kill`. */
export async function lockHolder(config: DatabaseConfig, key: string) {
  const { child, ended, ...rest } = await start({ config, key })
  const release = async () => {
    child.stdin.end()
    await ended
  }
  return { ...rest, release }
}

/** A process that increments the number in a file forty times, each time under the lock. */
export async function lockCounter(config: DatabaseConfig, key: string, file: string) {
  const { child, ...rest } = await start({ config, key, file, times: 40 })
  return { ...rest, isDone: () => child.exitCode === 0 }
}

/** Pauses between read and write, so that two concurrent increments would lose one. */
export async function increment(file: string): Promise<void> {
  const before = Number(await readFile(file, 'utf8'))
  await sleep(1)
  await writeFile(file, String(before + 1))
}
