import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { chmod, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sealedRowsStore } from '../../server/src/app/sealed-rows-store.js'
import { MasterKey } from '../../server/src/shared/master-key.js'
import { rotateMasterKey } from '../../server/src/ports/vault/rotation.js'
import { withDatabase } from '../../server/src/commands/with-database.js'
import { runSql } from '../../server/test/site.js'
import { serveIn } from './serving.js'
import { emptyPlace, start, svc, svcProcess, type Place } from './svc.js'

// Commands load the whole of svc, and some start a process.
vi.setConfig({ testTimeout: 60_000 })

const env = { SVC_MASTER_KEY: MasterKey.random().format() }

/** An installation that has been started once. */
async function startedPlace(settings: Place['env'] = {}): Promise<Place & AsyncDisposable> {
  const place = { ...(await emptyPlace()), env: settings }
  await (await serveIn(place)).stop()
  return place
}

describe('key rotate', () => {
  it('replaces the key file, and says what it has done', async () => {
    await using place = await startedPlace()
    const file = join(place.cwd, 'data', 'master.key')
    const before = MasterKey.parse((await readFile(file, 'utf8')).trim())?.id ?? ''
    const { code, stdout, stderr } = await svc(['key', 'rotate'], place)
    const text = await readFile(file, 'utf8')
    const after = MasterKey.parse(text.trim())?.id ?? ''
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr.split('\n')).toEqual([
      `Wrote the new master key ${after} to ${file}.new.`,
      `Handed the master key ${after} over to the servers.`,
      `New secrets are encrypted with the master key ${after}.`,
      'Rewrapped the data keys of 0 secrets.',
      `Replaced ${file}.`,
      `The master key is ${after}. The old one, ${before}, opens only old backups of the database.`,
      `Back up ${file}. If servers on other machines have a copy of it, replace those before they are started again.`,
      '',
    ])
    expect(stderr).not.toContain(text.trim())
  })

  it('prints only the new key to stdout if the key is in SVC_MASTER_KEY', async () => {
    await using place = await startedPlace(env)
    const { code, stdout, stderr } = await svc(['key', 'rotate'], place)
    const printed = MasterKey.parse(stdout.trim())
    expect({ code, key: stdout }).toEqual({ code: 0, key: `${printed?.format() ?? ''}\n` })
    expect(stderr).toContain('The new master key follows on stdout: save it now.\n')
    expect(stderr).toContain(`The master key is ${printed?.id ?? ''}.`)
    expect(stderr).toContain(
      'To end the rotation, set SVC_MASTER_KEY to the new key for all servers, and restart them.',
    )

    const next = { ...place, env: { SVC_MASTER_KEY: stdout.trim() } }
    for (const one of [place, next])
      expect((await svc(['doctor'], one)).stdout).toContain(
        'set SVC_MASTER_KEY to the new key, and restart the servers',
      )
    const server = await serveIn(next)
    await vi.waitFor(async () => expect(await svc(['doctor'], next)).toMatchObject({ code: 0 }), 30_000)
    await server.stop()
    expect((await svc(['doctor'], place)).stdout).toContain(printed?.id)
  })

  it('changes nothing if the reader of the new SVC_MASTER_KEY has closed the pipe', async () => {
    await using place = await startedPlace(env)
    const rotation = start(['key', 'rotate'], place)
    rotation.stdout.destroy()
    const [stderr] = await Promise.all([text(rotation.stderr), once(rotation, 'close')])
    expect(rotation.exitCode).toBe(1)
    expect(stderr).toContain('svc: stdout cannot be written:')
    expect(stderr).not.toContain('Handed')
    expect(await svc(['doctor'], place)).toMatchObject({ code: 0 })
  })

  it('names damaged secrets, and ends with exit code 1', async () => {
    await using place = await startedPlace()
    await svc(['user', 'add', 'ada@example.com'], place)
    await runSql(
      { kind: 'sqlite', file: join(place.cwd, 'data', 'svc.db') },
      `insert into credential (id, account_id, platform, label, created_at, updated_at, master_key_id, sealed)
        values (7, 1, 'p', '', 1, 1, 'x', x'00')`,
    )
    const { code, stderr } = await svc(['key', 'rotate'], place)
    expect(code).toBe(1)
    expect(stderr).toContain('No key opens these stored secrets, which were damaged before the rotation: credential 7.')
  })

  it.each([
    ['without a database', emptyPlace, 'There is no database'],
    [
      'with a malformed key',
      () => startedPlace(env).then((place) => ({ ...place, env: { SVC_MASTER_KEY: 'hunter2' } })),
      'SVC_MASTER_KEY must be 64 hexadecimal digits',
    ],
  ])('refuses a rotation %s', async (_, placeOf, message) => {
    await using place = await placeOf()
    const { code, stderr } = await svc(['key', 'rotate'], place)
    expect(code).not.toBe(0)
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('hunter2')
  })
})

describe('a server with a wrong key', () => {
  let place: Place & AsyncDisposable
  let file: string
  beforeEach(async () => {
    place = await startedPlace()
    file = join(place.cwd, 'data', 'master.key')
  })
  afterEach(() => place[Symbol.asyncDispose]())

  it.each<[string, () => Promise<unknown>, string]>([
    ['missing', () => rm(file), 'is missing, and secrets in the database are encrypted with the master key'],
    ['empty', () => writeFile(file, ''), 'does not contain 64 hexadecimal digits'],
    ['readable for others', () => chmod(file, 0o644), 'run chmod 600 on it'],
    ['of another installation', () => writeFile(file, MasterKey.random().format()), 'restore the file of that key'],
    ['a link through a file', () => rm(file).then(() => symlink('svc.db/key', file)), 'which does not exist'],
  ])('does not start, and svc doctor says why: %s', async (_, spoil, message) => {
    await spoil()
    const kept = await readFile(file, 'utf8').catch(() => undefined)
    const refused = await svcProcess(['serve', '--port', '0'], place)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/^svc: The master key .*\n$/)
    expect(refused.stderr).toContain(message)
    const doctor = await svc(['doctor'], place)
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toContain(message)
    expect(await readFile(file, 'utf8').catch(() => undefined)).toBe(kept)
  })

  it('starts with the key in SVC_MASTER_KEY', async () => {
    const key = (await readFile(file, 'utf8')).trim()
    await rename(file, `${file}.away`)
    await (await serveIn({ ...place, env: { SVC_MASTER_KEY: key } })).stop()
  })
})

it('other commands need no key', async () => {
  await using place = await startedPlace()
  await rm(join(place.cwd, 'data', 'master.key'))
  expect((await svc(['user', 'add', 'ada@example.com'], place)).code).toBe(0)
})

it('svc doctor names a rotation that has not ended, and a damaged one', async () => {
  await using place = await startedPlace()
  const file = join(place.cwd, 'data', 'master.key')
  const interrupt = (sentence: string) => {
    if (sentence.startsWith('Handed')) throw new Error('interrupted')
  }
  const database = { kind: 'sqlite', file: join(place.cwd, 'data', 'svc.db') } as const
  const config = { kind: 'file', file } as const
  const rotation = withDatabase(database, (db) =>
    rotateMasterKey({
      db,
      secrets: sealedRowsStore(db),
      config,
      followMs: 1,
      showKey: async () => undefined,
      note: interrupt,
    }),
  )
  await expect(rotation).rejects.toThrow('interrupted')
  const { code, stdout } = await svc(['doctor'], place)
  expect(code).toBe(1)
  expect(stdout).toContain('has not ended: if no svc key rotate is running, run it again.')
  await runSql(database, `update master_key_handover set new_key = x'00', old_key = x'00'`)
  const damaged = await svc(['doctor'], place)
  expect(damaged.code).toBe(1)
  expect(damaged.stdout).toContain('The table master_key_handover is damaged')
  const refused = await svcProcess(['serve', '--port', '0'], place)
  expect(refused.stderr).toMatch(/^svc: The table master_key_handover is damaged: .*\n$/)
})
