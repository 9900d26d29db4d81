import { CpuTime } from './cpu-time.js'
import { checkRatio, measureRounds, median, medianRatio, printInfo } from './measure.js'
import { requestsPerSecond, type Load, type Program } from './programs.js'

const seconds = 2

/** Work of a process that is measured in rounds: its rate, and the CPU time of each unit. */
export interface Side {
  readonly name: string
  readonly cpu: CpuTime
  /** Units per second in each round. */
  readonly rates: readonly number[]
  readonly run: () => Promise<number>
}

/**
 * @param pid of the measured process
 * @param work runs a round @returns units per second
 * @param unitsOf a rate: how many units the round had
 */
export function sideOf(
  name: string,
  pid: number,
  work: () => Promise<number>,
  unitsOf: (rate: number) => number,
): Side {
  const cpu = new CpuTime(pid)
  const rates: number[] = []
  const run = async () => {
    const rate = await cpu.measure(work, unitsOf)
    rates.push(rate)
    return rate
  }
  return { name, cpu, rates, run }
}

/** GET requests of wrk, for two seconds in each round unless the load says otherwise. */
export const requestSide = (
  name: string,
  { url, pid }: Pick<Program, 'url' | 'pid'>,
  path: string,
  load: Load = {},
): Side =>
  sideOf(
    name,
    pid,
    () => requestsPerSecond(url + path, { seconds, ...load }),
    (rate) => rate * (load.seconds ?? seconds),
  )

/** Measures all sides in alternating rounds. */
export async function measureSides(rounds: number, sides: readonly Side[]): Promise<void> {
  await measureRounds(rounds, Object.fromEntries(sides.map(({ run }, index) => [String(index), run])))
}

/** The CPU time of each unit, and how many there were in a second. */
function shown({ cpu, rates }: Side): string {
  const microseconds = cpu.seconds * 1e6
  const time = microseconds < 1_000 ? `${microseconds.toFixed(1)} µs` : `${(microseconds / 1_000).toFixed(1)} ms`
  const rate = median(rates)
  return `${time} of CPU, ${rate.toFixed(rate < 100 ? 1 : 0)}/s`
}

export const printCpu = (what: string, side: Side): void => {
  printInfo(what, shown(side))
}

/** Judges by the rate. For work that mostly waits for the disk, or that the kernel does for one side only. */
export function checkRate(what: string, side: Side, peer: Side, atLeast: number): void {
  const ratio = medianRatio(side.rates, peer.rates)
  checkRatio(`rate: ${what}`, { figure: shown(side), peer: `${peer.name}: ${shown(peer)}`, ratio }, { atLeast })
}

/** Judges by CPU time, because the throughput depends on the other load of the machine. */
export function checkCpu(what: string, side: Side, peer: Side, below: number): void {
  const ratio = side.cpu.ratioTo(peer.cpu)
  checkRatio(`CPU: ${what}`, { figure: shown(side), peer: `${peer.name}: ${shown(peer)}`, ratio }, { below })
}
