import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkLimit, median } from './measure.js'
import { startSvc } from './programs.js'

/** The start time and the idle memory of `svc serve`. */
export async function benchIdle(folder: string): Promise<void> {
  const starts: number[] = []
  const memory: number[] = []
  for (let round = 0; round < 3; round++) {
    const program = await startSvc(join(folder, `idle${round}`))
    starts.push(program.startMs / 1000)
    // V8 keeps the pages that the collection after the start has emptied for eight seconds: 30 MB (`pooled` in `--trace-gc`).
    await sleep(12_000)
    memory.push(residentMegabytes(program.pid))
    await program.stop()
  }
  checkLimit('start on an empty data directory until it listens', median(starts), { below: 1.5 }, ' s')
  checkLimit('resident memory, idle', median(memory), { below: 140 }, ' MB')
}

function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return (Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024) / 1e6
}
