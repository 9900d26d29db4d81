import { Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'
import v8 from '@vitest/coverage-v8'

/**
 * `@vitest/coverage-v8`, reduced to the code that must be covered. Each test file reports the counts of all modules that its worker
 * has loaded: to send, save and merge those of other code took 0.1 s of CPU time for each file.
 */

const session = new Session()
let isStarted = false

const isOfArea = ({ url }) => url.includes('/packages/server/src/areas/')

export default {
  ...v8,
  /** The files of a worker share it, see `isolate: false`. */
  async startCoverage() {
    if (isStarted) return
    isStarted = true
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  },
  async takeCoverage({ moduleExecutionInfo } = {}) {
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const startOffsetOf = (url) => moduleExecutionInfo?.get(fileURLToPath(url))?.startOffset ?? 0
    return { result: result.filter(isOfArea).map((script) => ({ ...script, startOffset: startOffsetOf(script.url) })) }
  },
}
