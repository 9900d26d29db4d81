import { beforeAll, beforeEach, describe, expect, it, vi, afterAll } from 'vitest'
import { emptyPlace, svc, svcServe, type Place } from './svc.js'

/** The operator suspends and limits accounts, and lists what they use. */

// Commands load the whole of svc, and some start a process.
vi.setConfig({ testTimeout: 60_000 })

const email = 'ada@example.com'

let place: Place & AsyncDisposable
beforeAll(async () => {
  place = await emptyPlace()
  await svc(['user', 'add', email], place)
})
afterAll(() => place[Symbol.asyncDispose]())

const run = (...args: string[]) => svc(args, place)

it('a suspended account is refused by a running server until it is resumed', async () => {
  await using server = await svcServe(place)
  const token = (await run('token', 'add', email, '--name', 'ci', '--scope', '*')).stdout.trim()
  const status = async () =>
    (await fetch(`${server.url}/v1/account/me`, { headers: { authorization: `Bearer ${token}` } })).status
  expect(await status()).toBe(200)
  expect(await run('user', 'suspend', email)).toEqual({
    code: 0,
    stdout: '',
    stderr: `The account ${email} is suspended. Its zones, sites, links and downloads are still served.\n`,
  })
  expect(await status()).toBe(401)
  expect((await run('user', 'list')).stdout).toContain('suspended')
  expect((await run('user', 'suspend', email, '--all')).stderr).toBe(
    `The account ${email} is suspended. Its zones, sites, links and downloads are not served any more.\n`,
  )
  expect(JSON.parse((await run('user', 'show', email, '--json')).stdout)).toMatchObject({
    state: 'stopped',
    plan: null,
  })
  expect(await run('user', 'resume', email)).toMatchObject({ code: 0, stderr: `The account ${email} is active.\n` })
  expect(await status()).toBe(200)
})

it('a suspension of an unknown account fails', async () => {
  const { code, stderr } = await run('user', 'suspend', 'nobody@example.com')
  expect([code, stderr]).toEqual([1, expect.stringContaining('There is no account nobody@example.com')])
})

describe('limits and plans', () => {
  beforeEach(async () => {
    await run('user', 'limit', email, 'zones=default', 'files_bytes=default', '--plan', 'none')
  })

  it('are set, shown and removed', async () => {
    expect(await run('user', 'limit', email)).toEqual({
      code: 0,
      stdout: 'plan    -\n',
      stderr: 'The settings of the server apply.\n',
    })
    expect((await run('plan', 'set', 'team', 'zones=200', 'sites=5')).stderr).toBe(
      'The plan team has the limits zones=200 sites=5.\n',
    )
    const limited = await run('user', 'limit', email, 'zones=50', 'files=10GB', '--plan', 'team')
    expect(limited.stdout).toBe('plan    team\nzones=50\nfiles_bytes=10000000000\nsites=5 (of the plan)\n')
    expect(JSON.parse((await run('user', 'limit', email, '--json')).stdout)).toEqual({
      email,
      plan: 'team',
      limits: { zones: 50, files_bytes: 10_000_000_000, sites: 5 },
      own: { zones: 50, files_bytes: 10_000_000_000 },
    })
    const shown = await run('user', 'show', email)
    expect(shown.stdout).toMatch(/\nbytes of files +0 of 10000000000\n/)
    expect(shown.stdout).toMatch(/\nlimit of zones +50\n/)
    expect((await run('plan', 'list')).stdout).toMatch(/^plan +accounts +limits *\nteam +1 +zones=200 sites=5 *\n$/)
    expect(JSON.parse((await run('plan', 'list', '--json')).stdout)).toEqual([
      { name: 'team', limits: { zones: 200, sites: 5 }, accounts: 1 },
    ])
    expect(await run('plan', 'delete', 'team')).toMatchObject({
      code: 1,
      stderr: 'svc: The plan team is that of 1 account: give them another one with svc user limit EMAIL --plan.\n',
    })
    await run('user', 'limit', email, '--plan', 'none')
    expect((await run('plan', 'delete', 'team')).stderr).toBe('The plan team is deleted.\n')
    expect((await run('plan', 'list')).stderr).toBe('No plans yet; svc plan set creates one.\n')
  })

  it.each([
    [['cats=1'], 2, /^svc: There is no limit "cats"; the limits are zones, /],
    [['zones=0'], 2, /^svc: zones must be a whole number, 1 to 9999999, or default, not "0"\.\n$/],
    [['--plan', 'gold'], 1, /^svc: There is no plan gold; svc plan list shows all\.\n$/],
    [['--plan', 'Gold'], 2, /^svc: --plan must have at most 32 lower-case letters/],
  ])('%j is refused and changes nothing', async (given, exitCode, message) => {
    const { code, stderr } = await run('user', 'limit', email, 'sites=9', ...given)
    expect([code, stderr]).toEqual([exitCode, expect.stringMatching(message)])
    expect((await run('user', 'limit', email)).stdout).toBe('plan    -\n')
  })
})

it('user list --usage counts what each account has', async () => {
  const [ada] = JSON.parse((await run('user', 'list', '--usage', '--json')).stdout) as { usage: object }[]
  expect(Object.entries(ada?.usage ?? {}).filter(([, amount]) => amount !== 0)).toEqual([])
  expect(Object.keys(ada?.usage ?? {})).toContain('zones')
  expect((await run('user', 'list', '--usage')).stdout).toMatch(/^id .* state +plan +zones +files +files_bytes /)
})
