import { readFileSync } from 'node:fs'
import { median, medianRatio } from './measure.js'

/** Clock ticks of /proc per second; the same on all Linux systems that Node.js supports. */
const ticksPerSecond = 100

/** Seconds that a process has run, with all its threads, in user and kernel mode (proc(5), /proc/pid/stat). */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** The CPU time of a process in each round of a measurement. */
export class CpuTime {
  readonly #rounds: number[] = []

  /** @param pid of the measured process */
  constructor(private readonly pid: number) {}

  /** Runs a round. @param amountOf how much work the figure stands for; without it, the whole round counts */
  async measure(work: () => Promise<number>, amountOf: (figure: number) => number = () => 1): Promise<number> {
    const before = cpuSeconds(this.pid)
    const figure = await work()
    this.#rounds.push((cpuSeconds(this.pid) - before) / amountOf(figure))
    return figure
  }

  /** Seconds; the median of the rounds. */
  get seconds(): number {
    return median(this.#rounds)
  }

  /** Seconds; the mean of the rounds. For rounds that are shorter than a few clock ticks. */
  get meanSeconds(): number {
    return this.#rounds.reduce((sum, round) => sum + round, 0) / this.#rounds.length
  }

  /** The median of the ratios to the CPU time of another process in the same rounds. */
  ratioTo(other: CpuTime): number {
    return medianRatio(this.#rounds, other.#rounds)
  }
}
