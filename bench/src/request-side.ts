import { CpuTime } from './cpu-time.js'
import { checkLimit, median, printInfo } from './measure.js'
import { requestsPerSecond, type Program } from './programs.js'

const seconds = 2

/** A request that is measured in rounds, with its CPU time. */
export interface RequestSide {
  readonly cpu: CpuTime
  /** Runs a round. @returns requests per second */
  readonly run: () => Promise<number>
}

export function requestSide({ url, pid }: Program, path: string, token?: string): RequestSide {
  const cpu = new CpuTime(pid)
  const load = token === undefined ? { seconds } : { seconds, token }
  const run = () =>
    cpu.measure(
      () => requestsPerSecond(url + path, load),
      (rate) => rate * seconds,
    )
  return { cpu, run }
}

/** @param rates requests per second of the rounds */
export function printCpu(what: string, { cpu }: RequestSide, rates: readonly number[]): void {
  const microseconds = (cpu.seconds * 1e6).toFixed(1)
  printInfo(what, `${microseconds} µs of CPU, ${String(Math.round(median(rates)))} requests/s`)
}

/** Judges by CPU time, because the throughput depends on the other load of the machine. */
export function checkCpu(what: string, side: RequestSide, bare: RequestSide, below: number): void {
  checkLimit(`CPU of ${what}, against bare node:http`, side.cpu.ratioTo(bare.cpu), { below }, ' ×')
}
