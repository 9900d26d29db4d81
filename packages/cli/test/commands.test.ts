import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { migratedPostgres } from '../../server/test/migrated-database.js'
import { emptyPlace, svc, svcProcess, svcServe, type Place } from './svc.js'

// Commands load the whole of svc, and some start a process.
vi.setConfig({ testTimeout: 60_000 })

const email = 'ada@example.com'

async function places(kind: string): Promise<Place & AsyncDisposable> {
  const place = await emptyPlace()
  return kind === 'sqlite' ? place : { ...place, env: { SVC_DATABASE: await migratedPostgres() } }
}

describe.each(['sqlite', 'postgres'])('on %s', (kind) => {
  it('user add generates a password and prints it once', async () => {
    await using place = await places(kind)
    const { code, stdout, stderr } = await svc(['user', 'add', 'Ada@Example.com', '--nickname', 'Ada'], place)
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'Created the account ada@example.com. The password is shown only once:\n',
    })
    expect(stdout).toMatch(/^[A-Za-z][\w-]{23}\n$/)

    const list = await svc(['user', 'list', '--json'], place)
    expect(JSON.parse(list.stdout)).toEqual([
      { id: 1, email, nickname: 'Ada', created_at: expect.stringMatching(/Z$/), state: 'active', plan: null },
    ])
    const table = await svc(['user', 'list'], place)
    expect(table.stdout).toMatch(
      /^id +email +nickname +created +state +plan *\n1 +ada@example.com +Ada +\d{4}-.*Z +active +- *\n$/,
    )

    const again = await svc(['user', 'add', email], place)
    expect(again).toMatchObject({ code: 1, stdout: '', stderr: 'svc: ada@example.com already has an account.\n' })
  })

  it('a token works at once beside a running server, and the first request after its revocation answers 401', async () => {
    await using place = await places(kind)
    await using server = await svcServe(place)
    await svc(['user', 'add', email], place)
    const created = await svc(['token', 'add', email, '--name', 'ci', '--scope', 'account:read'], place)
    expect(created.stdout).toMatch(/^svc_[0-9a-f]{32}\n$/)
    const status = async () => {
      const headers = { authorization: `Bearer ${created.stdout.trim()}` }
      return (await fetch(`${server.url}/v1/account/me`, { headers })).status
    }
    expect([await status(), await status()]).toEqual([200, 200])

    const revoked = await svc(['token', 'revoke', email, '1'], place)
    expect(revoked).toMatchObject({ code: 0, stderr: 'Revoked the token "ci" (id 1).\n' })
    expect(await status()).toBe(401)
    expect(await server.stop()).toBe(0)
  })
})

describe('tokens', () => {
  it('tokens are listed without their values, in the JSON form of the API', async () => {
    await using place = await emptyPlace()
    await svc(['user', 'add', email], place)
    const scopes = ['--scope', 'dns:write,whois:read', '--scope', 'cred:read']
    const made = JSON.parse((await svc(['token', 'add', email, '--name', 'ci', ...scopes, '--json'], place)).stdout)
    const { token, update_url, ...shown } = made
    expect(update_url).toBeNull()
    expect(shown).toEqual({
      id: 1,
      name: 'ci',
      prefix: token.slice(0, 10),
      scopes: ['dns:write', 'whois:read', 'cred:read'],
      created_at: expect.stringMatching(/Z$/),
      last_used_at: null,
      last_used_network: null,
      expires_at: null,
      unused_days: null,
      networks: [],
      rules: null,
      tsig: null,
      has_update_key: false,
      status: 'active',
    })
    const list = await svc(['token', 'list', email, '--json'], place)
    expect(JSON.parse(list.stdout)).toEqual([shown])
    expect((await svc(['token', 'list', email], place)).stdout).toMatch(
      /\n1 +ci +svc_\w{6} +dns:write whois:read cred:read +\S+Z +never +never +active *\n$/,
    )
  })

  it('a token for one host has a URL for routers, which changes with its value', async () => {
    await using place = await emptyPlace()
    await svc(['user', 'add', email], place)
    const rule = { kind: 'zone', name: 'example.com', hosts: ['home'], types: ['A', 'AAAA'], access: 'write' }
    const flags = ['--scope', 'dns:write', '--rule', JSON.stringify(rule), '--update-url']
    const publicUrl = ['--public-url', 'https://api.example.com']
    const lines = /^svc_[0-9a-f]{32}\nhttps:\/\/api\.example\.com\/u\/[0-9a-f]{32}\n$/
    const made = await svc(['token', 'add', email, '--name', 'home', ...flags, ...publicUrl], place)
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(lines) })
    expect(made.stderr).toContain('in the second line')
    const rotated = await svc(['token', 'rotate', email, 'home', ...publicUrl], place)
    expect(rotated.stdout).toMatch(lines)
    expect(rotated.stdout.split('\n')[1]).not.toBe(made.stdout.split('\n')[1])
    const json = await svc(['token', 'rotate', email, 'home', '--json'], place)
    expect(JSON.parse(json.stdout)).toMatchObject({ update_url: expect.stringMatching(/^\/u\/[0-9a-f]{32}$/) })

    const refused = await svc(['token', 'add', email, '--name', 'all', '--scope', 'dns:write', '--update-url'], place)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/^svc: --update-url needs one rule of a zone/)
    const wider = await svc(['token', 'update', email, 'home', '--rule', 'any'], place)
    expect(wider.stderr).toMatch(/^svc: --rule must have one rule of a zone/)
    const other = await svc(['token', 'update', email, 'home', '--scope', 'dns:read'], place)
    expect(other.stderr).toMatch(/^svc: --scope must have the scope dns:write/)
  })

  it('a token is changed, paused and resumed, and gets a new value', async () => {
    await using place = await emptyPlace()
    await svc(['user', 'add', email], place)
    const given = ['--expires', '2099-01-31', '--unused-days', '90', '--network', '192.0.2.7/24']
    const { token } = JSON.parse(
      (await svc(['token', 'add', email, '--name', 'ci', ...given, '--json'], place)).stdout,
    ) as { token: string }
    const update = (...flags: string[]) => svc(['token', 'update', email, ...flags], place)
    const listed = async () =>
      (JSON.parse((await svc(['token', 'list', email, '--json'], place)).stdout) as Record<string, unknown>[])[0]
    const limits = { expires_at: '2099-01-31T00:00:00.000Z', unused_days: 90, networks: ['192.0.2.0/24'] }
    expect(await listed()).toMatchObject({ ...limits, status: 'active' })

    expect(await update('ci', '--pause')).toMatchObject({ code: 0, stderr: 'Changed the token "ci" (id 1): paused.\n' })
    expect(await listed()).toMatchObject({ ...limits, status: 'paused' })
    const changes = ['--resume', '--new-name', 'deploy', '--scope', 'sites:write', '--expires', 'never']
    expect(await update('1', ...changes, '--unused-days', 'never', '--network', 'any')).toMatchObject({ code: 0 })
    const changed = { name: 'deploy', scopes: ['sites:write'], expires_at: null, unused_days: null, networks: [] }
    expect(await listed()).toMatchObject({ ...changed, status: 'active' })

    for (const [flags, message] of [
      [[], 'Nothing to change: give at least one flag.'],
      [['--scope', ''], '--scope must name a scope, such as dns:write.'],
      [['--new-name', ''], '--new-name must have 1 to 64 characters, not 0.'],
      [['--network', 'x'], /^svc: --network must list addresses and networks such as /],
    ] as const)
      expect(await update('deploy', ...flags)).toMatchObject({
        code: 2,
        stderr: typeof message === 'string' ? `svc: ${message}\n` : expect.stringMatching(message),
      })
    expect((await update('deploy', '--pause', '--resume')).code).toBe(2)
    expect(await update('ci', '--pause')).toMatchObject({ code: 1 })

    const rotated = await svc(['token', 'rotate', email, 'deploy', '--keep', '24h'], place)
    expect(rotated).toMatchObject({ code: 0, stdout: expect.stringMatching(/^svc_[0-9a-f]{32}\n$/) })
    expect(rotated.stdout.trim()).not.toBe(token)
    expect(await listed()).toMatchObject({ id: 1, prefix: rotated.stdout.slice(0, 10), ...changed })
  })

  it('a token gets rules, which an update replaces and any removes', async () => {
    await using place = await emptyPlace()
    await svc(['user', 'add', email], place)
    const site = { kind: 'site', name: 'docs', access: 'write' }
    const zone = { kind: 'zone', name: 'example.com', hosts: ['home'], types: ['A'], access: 'write' }
    const rules = (...given: object[]) => given.flatMap((rule) => ['--rule', JSON.stringify(rule)])
    const made = await svc(['token', 'add', email, '--name', 'ci', ...rules(site, zone), '--json'], place)
    expect(JSON.parse(made.stdout)).toMatchObject({ rules: [site, zone] })
    const update = async (...flags: string[]) =>
      (
        JSON.parse((await svc(['token', 'update', email, 'ci', ...flags, '--json'], place)).stdout) as {
          rules: unknown
        }
      ).rules
    expect(await update('--pause')).toEqual([site, zone])
    expect(await update(...rules(zone))).toEqual([zone])
    expect(await svc(['token', 'update', email, 'ci', ...rules({ ...site, name: 'Docs' })], place)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^svc: --rule: rules\[0\]\.name must be the name of a site/),
    })
    expect(await update('--rule', 'any')).toBeNull()
  })

  it('tokens have names that differ in an account, and are revoked by name or id', async () => {
    await using place = await emptyPlace()
    await svc(['user', 'add', email], place)
    // The ids are 1 to 4.
    for (const name of ['ci', '1', '99', 'x']) await svc(['token', 'add', email, '--name', name], place)
    expect(await svc(['token', 'add', email, '--name', 'ci'], place)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'svc: --name "ci" is taken by another token: choose another one, or revoke that token first.\n',
    })
    for (const [given, name, id] of [
      ['99', '99', 3],
      ['1', 'ci', 1],
      ['x', 'x', 4],
      ['1', '1', 2],
    ] as const)
      expect(await svc(['token', 'revoke', email, given], place)).toMatchObject({
        code: 0,
        stderr: `Revoked the token "${name}" (id ${String(id)}).\n`,
      })
    expect(JSON.parse((await svc(['token', 'list', email, '--json'], place)).stdout)).toEqual([])
  })
})

describe('a command that fails', () => {
  let place: Place & AsyncDisposable
  beforeAll(async () => {
    place = await emptyPlace()
    await svc(['user', 'add', email], place)
  })
  afterAll(() => place[Symbol.asyncDispose]())

  it.each([
    [
      ['token', 'add', email, '--name', 'x', '--scope', 'dns:admin'],
      2,
      /^svc: There is no scope "dns:admin"; the scopes are dns/,
    ],
    [['token', 'add', email], 2, /^error: required option '--name <name>' not specified\n/],
    [['token', 'add', 'eve@example.com', '--name', 'x'], 1, /^svc: There is no account eve@example.com in sqlite:/],
    [
      ['token', 'revoke', email, 'seven'],
      1,
      /^svc: ada@example\.com has no token with the name or id "seven"; svc token list ada@example\.com shows all\.\n$/,
    ],
    [['user', 'add', 'ada'], 2, /^svc: The email must be an address such as you@example\.com, not "ada"/],
    [['user', 'lsit'], 2, /^error: unknown command 'lsit'/],
    [['user', 'list', '--database', 'mysql://u:hunter2@h'], 2, /^svc: --database must be sqlite:.*, not mysql:\.\n$/],
  ] as const)('svc %j exits with %i and prints one sentence', async (args, code, stderr) => {
    expect(await svc(args, place)).toEqual({ code, stdout: '', stderr: expect.stringMatching(stderr) })
  })
})

describe('passwords', () => {
  const signIn = async (url: string, password: string) => {
    const headers = { 'content-type': 'application/json', origin: url }
    const body = JSON.stringify({ email, password })
    return (await fetch(`${url}/console/api/session/sign-in`, { method: 'POST', headers, body })).status
  }

  it('passwords are read from stdin without the line end, and can be reset beside a running server', async () => {
    await using place = await emptyPlace()
    const added = await svc(['user', 'add', email, '--password-stdin'], place, 'correct horse\n')
    expect(added).toEqual({ code: 0, stdout: '', stderr: 'Created the account ada@example.com.\n' })
    await using server = await svcServe(place)
    expect(await signIn(server.url, 'correct horse')).toBe(200)

    const reset = await svc(['user', 'password', email, '--json'], place)
    const { password } = JSON.parse(reset.stdout)
    expect(password).toMatch(/^[A-Za-z][\w-]{23}$/)
    expect(await signIn(server.url, password)).toBe(200)
    for (let i = 0; i < 5; i++) expect(await signIn(server.url, 'correct horse')).toBe(401)
    expect(await signIn(server.url, password)).toBe(401)
    expect(await svc(['user', 'unlock', 'Ada@example.com'], place)).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Ended the wait of ada@example.com. Networks with many failed sign-ins still have to wait.\n',
    })
    expect(await signIn(server.url, password)).toBe(200)
    expect(await server.stop()).toBe(0)
  })

  it('a password that is too short is rejected, and no account is created', async () => {
    await using place = await emptyPlace()
    const { code, stderr } = await svc(['user', 'add', email, '--password-stdin'], place, 'short')
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'svc: The password must have 8 to 1024 characters, not 5.\n' })
    expect(existsSync(join(place.cwd, 'data'))).toBe(false)
  })

  it.each([
    ['that are not UTF-8', Buffer.from('gr\u00fcner Tee', 'latin1')],
    ['without an end', Buffer.alloc(100_000, 'x')],
  ])('%s are rejected, and no account is created', async (_what, stdin) => {
    await using place = await emptyPlace()
    const { code, stderr } = await svc(['user', 'add', email, '--password-stdin'], place, stdin)
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'svc: The password on stdin must be UTF-8 text of at most 8192 bytes.\n',
    })
    expect(existsSync(join(place.cwd, 'data'))).toBe(false)
  })
})

it('reading commands fail without a database, and do not create one', async () => {
  await using place = await emptyPlace()
  const { code, stderr } = await svc(['user', 'list', '--data', 'typo'], place)
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /^svc: There is no database sqlite:.*typo\/svc\.db: name the server's with --data or --database/,
  )
  expect(existsSync(join(place.cwd, 'typo'))).toBe(false)
})

// Other tests share a process, where a socket or thread that is left open would not be seen.
it('commands end their process, with the same output and exit code as in a shared process', async () => {
  await using place = await emptyPlace()
  for (const args of [
    ['user', 'add', email],
    ['token', 'add', email, '--name', 'ci', '--scope', 'dns:write'],
    ['dns', 'assign', 'example.com', email],
  ])
    expect(await svcProcess(args, place)).toMatchObject({ code: 0 })

  for (const args of [
    ['user', 'list'],
    ['dns', 'import', 'example.com', '--dry-run'],
    ['dns', 'sync'],
    ['api', 'dns', 'zone-list', '--url', 'http://127.0.0.1:1'],
    ['api', 'dns', 'zone-list', '--timeout', 'x'],
  ]) {
    const stdin = 'www 300 IN A 192.0.2.1\n'
    expect(await svcProcess(args, place, stdin)).toEqual(await svc(args, place, stdin))
  }
  // Its findings differ between two runs, such as the space on the disk.
  expect(await svcProcess(['doctor'], place)).toMatchObject({ stdout: expect.stringContaining('Database') })
})
