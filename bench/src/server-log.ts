import { readFile } from 'node:fs/promises'
import { median } from './measure.js'
import type { Program } from './programs.js'

const logOf = (data: string, { url }: Program): Promise<string> => readFile(`${data}-${new URL(url).port}.log`, 'utf8')

/** Milliseconds of all requests of a stopped svc, by the id of their operation, in the order of their ends. */
export async function allMilliseconds(data: string, svc: Program): Promise<ReadonlyMap<string, readonly number[]>> {
  const times = new Map<string, number[]>()
  for (const [, operation = '', ms] of (await logOf(data, svc)).matchAll(
    /"operation":"([\w.]+)","status":\d+,"ms":([\d.]+)/g,
  )) {
    const before = times.get(operation) ?? []
    before.push(Number(ms))
    times.set(operation, before)
  }
  return times
}

/**
 * Milliseconds that a stopped svc needed for the requests of an operation, by its log: the median.
 * @param data its data directory
 */
export async function serverMilliseconds(data: string, svc: Program, operation: string): Promise<number> {
  const log = await logOf(data, svc)
  const lines = log.matchAll(/"operation":"([\w.]+)","status":200,"ms":([\d.]+)/g)
  const times = [...lines].filter(([, name]) => name === operation).map(([, , ms]) => Number(ms))
  if (times.length === 0) throw new Error(`The log of svc has no successful request of ${operation}.`)
  return median(times)
}
