import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** @returns the most bytes of heap and buffers in use at a sample, beyond those in use before */
export async function memoryGrowth(work: (sample: () => void) => Promise<void>): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const inUse = () => {
    collectGarbage()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  const before = inUse()
  let peak = before
  await work(() => {
    peak = Math.max(peak, inUse())
  })
  return peak - before
}
