import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { emptyPlace, svc, svcProcess, type Place } from './svc.js'

/** `svc events` and `svc account events`, beside no server. */

// Commands load the whole of svc.
vi.setConfig({ testTimeout: 60_000 })

const email = 'ada@example.com'

let place: Place & AsyncDisposable
beforeAll(async () => {
  vi.stubEnv('SUDO_USER', '=grace, "the admiral"')
  place = await emptyPlace()
  // Each in a process that begins with this environment.
  await svcProcess(['user', 'add', email], place)
  await svcProcess(['token', 'add', email, '--name', 'ci', '--scope', 'dns:read'], place)
  await svcProcess(['token', 'update', email, 'ci', '--pause'], place)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await place[Symbol.asyncDispose]()
})

const run = (...args: string[]) => svc(args, place)

it('lists the events of an account as a table, the newest first', async () => {
  const { code, stdout, stderr } = await run('account', 'events', email, '--limit', '2')
  expect([code, stderr]).toEqual([0, '2 of 3 events.\n'])
  const [head, first, second] = stdout.split('\n')
  expect(head).toMatch(/^time +area +action +object +by +network +change$/)
  expect(first).toMatch(/^\S+Z +account +token_change +ci +svc token update +paused: false → true$/)
  expect(second).toMatch(/token_create +ci +svc token add .*scopes: dns:read/)
})

it('selects by area, object and token, and prints JSON and CSV', async () => {
  const json = await run('account', 'events', email, '--object', 'ci', '--json')
  expect(JSON.parse(json.stdout)).toMatchObject([
    { action: 'token_change', before: { paused: false } },
    { action: 'token_create' },
  ])
  expect((await run('account', 'events', email, '--area', 'dns', '--csv')).stdout).toBe(
    'time,area,action,object,by,network,change\r\n',
  )
  expect((await run('account', 'events', email, '--token', 'ci')).stderr).toBe('0 of 0 events.\n')
})

it("lists what the operator's commands did, and no cell of its CSV is a formula", async () => {
  const listed = await run('events')
  expect(listed.stdout).toMatch(/svc token update +ci +ada@example\.com +=grace, "the admiral" +paused: false → true\n/)
  expect(JSON.parse((await run('events', '--json', '--limit', '1')).stdout)).toMatchObject([
    { command: 'svc token update', object: 'ci', account: email, by: '=grace, "the admiral"' },
  ])
  const lines = (await run('events', '--csv')).stdout.split('\r\n')
  expect(lines).toHaveLength(5)
  expect(lines[1]).toMatch(/Z,svc token update,ci,ada@example\.com,"'=grace, ""the admiral""",paused: false → true$/)
})

it.each([
  [['account', 'events', email, '--limit', 'x'], '--limit must be a whole number, not x.'],
  [['account', 'events', email, '--area', 'mail'], '--area must be one of account, '],
  [['account', 'events', 'bob@example.com'], 'There is no account bob@example.com'],
  [['events', '--json', '--csv'], "option '--csv' cannot be used with option '--json'"],
])('%j is refused', async (args, reason) => {
  const { code, stdout, stderr } = await run(...args)
  expect(code).toBeGreaterThan(0)
  expect([stdout, stderr]).toEqual(['', expect.stringContaining(reason)])
})
