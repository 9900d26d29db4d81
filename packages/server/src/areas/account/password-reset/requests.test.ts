import { pino } from 'pino'
import { expect, it } from 'vitest'
import { resetRequests } from './requests.js'

const outbox = { add: () => Promise.resolve() }

it('logs a look-up that fails, and goes on', async () => {
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => void lines.push(line) })
  const accounts = { byEmail: () => Promise.reject(new Error('disk full')) }
  const requests = resetRequests({ accounts, outbox, log })
  requests.begin('ada@example.com')
  await requests.idle()
  expect(lines.join()).toContain('disk full')
  expect(lines.join()).not.toContain('ada@example.com')
})

it('looks up at most 100 accounts at a time', async () => {
  let lookUps = 0
  let end: () => void = () => undefined
  const ended = new Promise<void>((resolve) => (end = resolve))
  const byEmail = async () => {
    await ended
    lookUps++
    return undefined
  }
  const requests = resetRequests({ accounts: { byEmail }, outbox, log: pino({ enabled: false }) })
  for (let i = 0; i < 120; i++) requests.begin(`p${String(i)}@example.com`)
  end()
  await requests.idle()
  expect(lookUps).toBe(100)
})
