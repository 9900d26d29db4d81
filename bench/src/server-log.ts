import { readFile } from 'node:fs/promises'
import { median } from './measure.js'
import type { Program } from './programs.js'

/**
 * Milliseconds that a stopped svc needed for the requests of an operation, by its log: the median.
 * @param data its data directory
 */
export async function serverMilliseconds(data: string, { url }: Program, operation: string): Promise<number> {
  const log = await readFile(`${data}-${new URL(url).port}.log`, 'utf8')
  const lines = log.matchAll(/"operation":"([\w.]+)","status":200,"ms":([\d.]+)/g)
  const times = [...lines].filter(([, name]) => name === operation).map(([, , ms]) => Number(ms))
  if (times.length === 0) throw new Error(`The log of svc has no successful request of ${operation}.`)
  return median(times)
}
