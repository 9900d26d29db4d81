import { pino } from 'pino'
import { expect, it } from 'vitest'
import { throttledLog } from './throttled-log.js'

it('logs the first of many errors, then one in ten seconds with the number of omitted ones', () => {
  const lines: Record<string, unknown>[] = []
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) })
  let now = 0
  const logFailure = throttledLog(log, 'a packet was lost', { now: () => now })
  for (let n = 0; n < 100; n++) logFailure(new Error('made by the test'), { host: '192.0.2.1' })
  expect(lines).toMatchObject([{ msg: 'a packet was lost', host: '192.0.2.1', omitted: 0 }])
  now = 10_001
  logFailure(new Error('made by the test'))
  expect(lines).toMatchObject([{}, { omitted: 99, err: { message: 'made by the test' } }])
})
