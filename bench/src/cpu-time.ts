import { readdirSync, readFileSync } from 'node:fs'
import { median, medianRatio } from './measure.js'

/** Clock ticks of /proc per second; the same on all Linux systems that Node.js supports. */
const ticksPerSecond = 100

type Whose = 'process' | 'family'

/** The times of a process, with all its threads, in user and kernel mode (proc(5), /proc/pid/stat). */
function timesOf(pid: number): { own: number; ofEndedChildren: number } {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, 'latin1')
  const ticks = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number)
  const [user = 0, kernel = 0, childrenUser = 0, childrenKernel = 0] = ticks
  return { own: (user + kernel) / ticksPerSecond, ofEndedChildren: (childrenUser + childrenKernel) / ticksPerSecond }
}

/** Seconds that a process has run; its family is the process with all its children, also those that have ended. */
function cpuSeconds(pid: number, whose: Whose): number {
  const { own, ofEndedChildren } = timesOf(pid)
  if (whose === 'process') return own
  const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'latin1')
    .split(' ')
    .filter(Boolean)
  try {
    return children.reduce((sum, child) => sum + timesOf(Number(child)).own, own + ofEndedChildren)
  } catch (error) {
    if (!hasEnded(error)) throw error
    return cpuSeconds(pid, whose)
  }
}

/** The CPU time of a process in each round of a measurement. */
export class CpuTime {
  readonly #rounds: number[] = []

  /**
   * @param pid of the measured process
   * @param whose `family` for a server that has a process for each connection
   */
  constructor(
    private readonly pid: number,
    private readonly whose: Whose = 'process',
  ) {}

  /** Runs a round. @param amountOf how much work the figure stands for; without it, the whole round counts */
  async measure(work: () => Promise<number>, amountOf: (figure: number) => number = () => 1): Promise<number> {
    const before = cpuSeconds(this.pid, this.whose)
    const figure = await work()
    this.#rounds.push((cpuSeconds(this.pid, this.whose) - before) / amountOf(figure))
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

/** The sessions of PostgreSQL in a database. Their process titles contain its name. */
export const processesOfDatabase = (name: string): number[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .filter((pid) => textOf(`/proc/${pid}/cmdline`).includes(`postgres: postgres ${name} `))
    .map(Number)

/**
 * Milliseconds of CPU time of each process (proc(5), schedstat). More exact than clock ticks, but without threads that have ended.
 */
export const cpuMilliseconds = (pids: readonly number[]): ReadonlyMap<number, number> =>
  new Map(
    pids.map((pid) => {
      const tasks = `/proc/${String(pid)}/task`
      const threads = unlessEnded(() => readdirSync(tasks), [])
      const times = threads.map((thread) => Number(textOf(`${tasks}/${thread}/schedstat`).split(' ')[0]))
      return [pid, times.reduce((sum, time) => sum + time, 0) / 1e6]
    }),
  )

const textOf = (file: string): string => unlessEnded(() => readFileSync(file, 'latin1'), '')

/** Reads a file or a folder of /proc. @returns `otherwise` if the process has ended */
function unlessEnded<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch (error) {
    if (!hasEnded(error)) throw error
    return otherwise
  }
}

/** A process that ends between open and read gives ESRCH. */
const hasEnded = (error: unknown) => ['ENOENT', 'ESRCH'].includes(String((error as NodeJS.ErrnoException).code))
