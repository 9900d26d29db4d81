import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { limit, median } from './measure.js'
import { serve } from './programs.js'

/** The start time of `svc serve`, and its memory without requests. */
export async function benchIdle(folder: string): Promise<void> {
  const starts: number[] = []
  const memory: number[] = []
  for (let round = 0; round < 3; round++) {
    const program = await serve(join(folder, `idle${round}`))
    starts.push(program.startedIn / 1000)
    await sleep(3_000)
    memory.push(residentMegabytes(program.pid))
    await program.stop()
  }
  limit('start with an empty data directory, until it listens', median(starts), { below: 1.5 }, ' s')
  limit('resident memory, idle', median(memory), { below: 120 }, ' MB')
}

function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return (Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024) / 1e6
}
