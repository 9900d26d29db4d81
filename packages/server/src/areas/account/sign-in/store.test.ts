import { afterAll, beforeAll, expect, it } from 'vitest'
import { postgresSession } from '../../../../test/postgres-session.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import { countersOf, forgetAfterMs } from './failures.js'
import { signInStore } from './store.js'

let site: TwoProcesses
beforeAll(async () => {
  site = await twoProcesses('postgres')
})
afterAll(() => site.stop())

it('an attempt does not wait for the old counters of another attempt, and removes the others', async () => {
  if (site.config.kind !== 'postgres') throw new Error('The test needs PostgreSQL.')
  const failures = signInStore(site.db)
  const start = Date.now()
  await failures.attempt(countersOf('held@example.com', '192.0.2.1'), start)
  await failures.attempt(countersOf('old@example.com', '198.51.100.1'), start)

  await using other = await postgresSession(site.config.url)
  await other.query('begin')
  const held = await other.query('select key from sign_in_failure order by key limit 2 for update')
  const counters = countersOf('new@example.com', '203.0.113.1')
  await failures.attempt(counters, start + 2 * forgetAfterMs)
  const left = await other.query('select key from sign_in_failure')
  expect(left).toHaveLength(held.length + counters.length)
  await other.query('rollback')
})
