import { chown, lstat, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { migratedPostgres } from '../../server/test/migrated-database.js'
import { emptyPlace, svcProcess, svcServe, type Place, type Serving } from './svc.js'

/** The code for the first account: from the output of a server, and from `svc setup-code` beside it. */

const printed = /enter the code (\S+) to create the first account/
const account = { email: 'ada@example.com', password: 'correct horse battery staple' }

async function places(kind: string): Promise<Place & AsyncDisposable> {
  const place = await emptyPlace()
  return kind === 'sqlite' ? place : { ...place, env: { SVC_DATABASE: await migratedPostgres() } }
}

/** The code that a server has printed at its start. */
async function codeOf({ stderr }: Serving): Promise<string> {
  await expect.poll(stderr).toMatch(printed)
  return printed.exec(stderr())?.[1] ?? ''
}

/** Creates the first account as the console does. @returns the status and the message of an error */
async function create({ url }: Serving, code: string): Promise<string> {
  const headers = { origin: url, 'content-type': 'application/json' }
  const body = JSON.stringify({ ...account, code })
  const answer = await fetch(`${url}/console/api/setup`, { method: 'POST', headers, body })
  const { message } = (await answer.json()) as { message?: string }
  return [answer.status, message].filter(Boolean).join(' ')
}

const refused = '400 code must be the code that svc serve or svc setup-code printed last.'

describe.each(['sqlite', 'postgres'])('svc setup-code on %s', (kind) => {
  it('prints a code that replaces all before it in each running server at once, until there is an account', async () => {
    await using place = await places(kind)
    await using one = await svcServe(place)
    await using two = await svcServe(place)
    const atStart = await codeOf(one)
    const first = await svcProcess(['setup-code'], place)
    const second = await svcProcess(['setup-code'], place)
    expect(second).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}\n$/),
      stderr: 'Enter this code at /console of the server to create the first account:\n',
    })
    for (const old of [atStart, await codeOf(two), first.stdout.trim()]) expect(await create(one, old)).toBe(refused)
    expect(await create(two, second.stdout.trim())).toBe('200')

    expect(await create(one, second.stdout.trim())).toMatch(/^403 The first account exists already/)
    const late = await svcProcess(['setup-code'], place)
    expect(late).toEqual({
      code: 1,
      stdout: '',
      stderr: 'svc: There is an account already, so no setup code is accepted.\n',
    })
  })

  it('ends with the first account of another way, also if that one is deleted; a new code is valid then', async () => {
    await using place = await places(kind)
    await using server = await svcServe(place)
    const { stdout } = await svcProcess(['setup-code'], place)
    await svcProcess(['user', 'add', 'bob@example.com'], place)
    await svcProcess(['user', 'delete', 'bob@example.com', '--yes'], place)
    expect(await create(server, stdout.trim())).toMatch(/^403 No setup code is valid: print one with svc setup-code/)
    const next = await svcProcess(['setup-code'], place)
    expect(await create(server, next.stdout.trim())).toBe('200')
  })
})

it('the code stays valid in a server that starts after it', async () => {
  await using place = await emptyPlace()
  await (await svcServe(place)).stop()
  const { stdout } = await svcProcess(['setup-code', '--data', join(place.cwd, 'data')], { cwd: '/' })
  await using server = await svcServe(place)
  expect(await codeOf(server)).not.toBe(stdout.trim())
  expect(await create(server, stdout.trim())).toBe('200')
})

it('needs a database', async () => {
  await using place = await emptyPlace()
  const { code, stdout, stderr } = await svcProcess(['setup-code'], place)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^svc: There is no database .*svc\.db: name the server's with --data/)
})

describe('the first start of a server', () => {
  it('behind a proxy, prints the code with its public address', async () => {
    await using place = await emptyPlace()
    await using server = await svcServe({ ...place, env: { SVC_PUBLIC_URL: 'https://api.example.com' } })
    await codeOf(server)
    expect(server.stderr()).toContain('Open https://api.example.com/console and enter the code ')
  })

  // Only root can give files to another user.
  it.skipIf(process.geteuid?.() !== 0)(
    'as root, in the directory of the service user, leaves files for that user only',
    async () => {
      await using place = await emptyPlace()
      const home = join(place.cwd, 'home')
      await mkdir(home)
      await chown(home, 12_345, 12_345)
      const env = { SVC_DATA: join(home, 'data') }
      await using server = await svcServe({ cwd: home, env })
      await codeOf(server)
      const { stdout } = await svcProcess(['setup-code'], { cwd: home, env })
      expect(await create(server, stdout.trim())).toBe('200')
      const entries = ['', ...(await readdir(home, { recursive: true }))]
      const owners = await Promise.all(entries.map(async (path) => (await lstat(join(home, path))).uid))
      expect(new Set(owners)).toEqual(new Set([12_345]))
    },
  )
})
