import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { emptyPlace, start, svcProcess, svcServe, type Place } from '../../packages/cli/test/svc.js'
import { readDatabaseConfig } from '../../packages/server/src/config/config.js'
import { MasterKey } from '../../packages/server/src/shared/master-key.js'
import { runSql } from '../../packages/server/test/site.js'
import { freshPostgres } from '../../test/servers/index.js'
import { accountToken } from '../account-token.js'
import { isLong } from './random.js'
import { rawRequest } from './raw-request.js'

/**
 * `svc key rotate` beside two servers with eight writers, killed again and again: every acknowledged secret is there in the end, under
 * the new key only.
 */

/** After how many sentences of `svc key rotate` it is killed, in this order. With a key file, it says two more. */
const fileKills = isLong ? [0, 1, 1, 2, 2, 3, 3, 4, 4, 5] : [2, 4]
const settingKills = isLong ? [0, 1, 1, 2, 2] : [2]
const writers = 8
const namesOfWriter = 5

const timeout = isLong ? 600_000 : 180_000

const databaseOf = ({ cwd, env }: Place) => readDatabaseConfig({ env: { SVC_DATA: join(cwd, 'data'), ...env } })

interface Secrets {
  /** Stops the writers. @returns the last acknowledged secret of each platform and label */
  readonly stop: () => Promise<Map<string, string>>
}

/** Writers that store and replace secrets one after another, each with names that only it uses. */
function write(urls: readonly string[], token: string): Secrets {
  const acknowledged = new Map<string, string>()
  let isStopped = false
  async function run(writer: number): Promise<void> {
    for (let n = 0; !isStopped; n++) {
      const [platform, label] = [`writer ${String(writer)}`, String(n % namesOfWriter)]
      const secret = randomBytes(8).toString('hex')
      const answer = await rawRequest(urls[n % urls.length] ?? '', {
        method: 'POST',
        path: '/v1/cred',
        body: JSON.stringify({ platform, label, secret }),
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      })
      expect(answer?.status, answer?.text).toBe(200)
      acknowledged.set(`${platform}/${label}`, secret)
    }
  }
  const running = Promise.all(Array.from({ length: writers }, (_, writer) => run(writer)))
  // It is awaited in `stop`.
  running.catch(() => undefined)
  return {
    stop: async () => {
      isStopped = true
      await running
      return acknowledged
    },
  }
}

async function list(url: string, token: string): Promise<Map<string, string>> {
  const answer = await rawRequest(url, { path: '/v1/cred', headers: { authorization: `Bearer ${token}` } })
  const { data } = JSON.parse(answer?.text ?? '') as {
    data: { credentials: { platform: string; label: string; secret: string }[] }
  }
  return new Map(data.credentials.map(({ platform, label, secret }) => [`${platform}/${label}`, secret]))
}

/** Starts a rotation and kills it after so many sentences. @returns what it had printed to stdout, and whether it had ended before */
async function killedRotation(place: Place, sentences: number): Promise<{ printed: string; hasEnded: boolean }> {
  const child = start(['key', 'rotate'], place)
  let [said, printed] = ['', '']
  const killWhenDue = () => {
    if (said.split('\n').filter((line) => /^(Wrote|Handed|New|Rewrapped|Replaced)/.test(line)).length >= sentences)
      child.kill('SIGKILL')
  }
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
    killWhenDue()
  })
  killWhenDue()
  await once(child, 'close')
  return { printed, hasEnded: child.exitCode === 0 }
}

const sqlite = async (): Promise<Place & AsyncDisposable> => emptyPlace()

async function postgres(): Promise<Place & AsyncDisposable> {
  return {
    ...(await emptyPlace()),
    env: { SVC_DATABASE: await freshPostgres(), SVC_MASTER_KEY: MasterKey.random().format() },
  }
}

describe.each([
  ['a key file on sqlite', sqlite, fileKills],
  ['SVC_MASTER_KEY on postgres', postgres, settingKills],
] as const)('rotation of %s', (_, placeOf, kills) => {
  it('loses no secret, however often it is killed', { timeout }, async () => {
    await using place = await placeOf()
    const keyOf = async ({ env }: Place) =>
      MasterKey.parse(env?.['SVC_MASTER_KEY'] ?? (await readFile(join(place.cwd, 'data/master.key'), 'utf8')).trim())
    const serving = [await svcServe(place)]
    serving.push(await svcServe(place))
    const urls = serving.map(({ url }) => url)
    const token = await accountToken(place, 'ada@example.com', 'cred:write')
    const before = await keyOf(place)
    const secrets = write(urls, token)
    const texts: string[] = []
    let hasEnded = false
    for (const sentences of [...kills, Infinity]) {
      // With SVC_MASTER_KEY, a rotation that has ended cannot be repeated with the old key.
      if (hasEnded && place.env !== undefined) break
      const run = await killedRotation(place, sentences)
      texts.push(run.printed)
      hasEnded = run.hasEnded
    }
    expect(hasEnded).toBe(true)
    const acknowledged = await secrets.stop()
    for (const url of urls) expect(await list(url, token)).toEqual(acknowledged)

    // Keys that were printed before the hand-over was committed are not used; the last one is.
    const given = texts.join('').trim().split('\n').at(-1) ?? ''
    const next: Place = given === '' ? place : { ...place, env: { ...place.env, SVC_MASTER_KEY: given } }
    const after = await keyOf(next)
    expect(after?.id).not.toBe(before?.id)
    expect(await runSql(databaseOf(place), 'select distinct master_key_id from credential')).toEqual([
      { master_key_id: after?.id },
    ])
    if (given === '') expect((await stat(join(place.cwd, 'data/master.key'))).mode & 0o777).toBe(0o600)

    for (const one of serving) await one.stop()
    {
      await using restarted = await svcServe(next)
      expect(await list(restarted.url, token)).toEqual(acknowledged)
      const handovers = () => runSql(databaseOf(place), 'select * from master_key_handover')
      await vi.waitFor(async () => expect(await handovers()).toEqual([]), { timeout: 60_000, interval: 200 })
    }
    const refused = await svcProcess(['serve'], {
      ...place,
      env: { ...place.env, SVC_MASTER_KEY: before?.format() ?? '' },
    })
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(new RegExp(`^svc: .*${before?.id ?? ''}.*${after?.id ?? ''}.*\\n$`))
    expect(refused.stderr).not.toContain(before?.format())
  })
})

it('of two rotations at the same time, one is refused', { timeout }, async () => {
  await using place = await emptyPlace()
  await using _serving = await svcServe(place)
  const first = start(['key', 'rotate'], place)
  const firstEnd = once(first, 'close')
  let said = ''
  first.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await vi.waitFor(() => expect(said).toContain('Handed'), { timeout: 60_000, interval: 10 })
  // Stopped, so that it still runs when the second one starts.
  first.kill('SIGSTOP')
  const second = await svcProcess(['key', 'rotate'], place)
  first.kill('SIGCONT')
  await firstEnd
  expect([first.exitCode, second.code]).toEqual([0, 1])
  expect(second.stderr).toContain('svc: Another svc key rotate is running on this database')
})
