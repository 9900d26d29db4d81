import { pino } from 'pino'
import { expect, it } from 'vitest'
import { sparingLog } from './sparing-log.js'

it('logs the first of many errors, and one in ten seconds with the number of those left out', () => {
  const lines: Record<string, unknown>[] = []
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) })
  let now = 0
  const failed = sparingLog(log, 'a packet was lost', () => now)
  for (let n = 0; n < 100; n++) failed(new Error('made by the test'), { host: '192.0.2.1' })
  expect(lines).toMatchObject([{ msg: 'a packet was lost', host: '192.0.2.1', omitted: 0 }])
  now = 10_001
  failed(new Error('made by the test'))
  expect(lines).toMatchObject([{}, { omitted: 99, err: { message: 'made by the test' } }])
})
