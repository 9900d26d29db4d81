import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { emptyPlace, svc, svcServe, type Place, type Serving } from '../../packages/cli/test/svc.js'
import { readDatabaseConfig } from '../../packages/server/src/config/config.js'
import { databaseKinds } from '../../packages/server/test/app.js'
import { send, type HttpCall } from '../../packages/server/test/raw-http.js'
import { runSql } from '../../packages/server/test/site.js'
import { freshPostgres } from '../../test/servers/index.js'

/** Secrets appear in no file, row, log or error. */

/** Part of each secret. As a number, `marker` has the digits that the messages for wrong types would show. */
const marker = 'Zq7unusual'
const digits = 86_753_098_671
const long = `${marker}${'x'.repeat(65_536)}`
const json = { 'content-type': 'application/json' }
const credential = (secret: unknown) => JSON.stringify({ platform: 'a.example', label: 'x', secret })

/** Unusual bodies, by name. */
const bodies: readonly (readonly [string, string | Buffer, Readonly<Record<string, string>>?])[] = [
  ['valid', credential(`${marker} valid`)],
  ['that replaces', credential(`${marker} replaced`)],
  ['too long', credential(long)],
  ['a number', credential(digits)],
  ['a list', credential([marker])],
  ['an object', credential({ [marker]: marker })],
  ['a duplicate key', `{"platform":"a.example","secret":"${marker} first","secret":"${marker} last"}`],
  ['a wrong type beside it', `{"platform":7,"secret":"${marker}"}`],
  ['a long platform beside it', JSON.stringify({ platform: 'p'.repeat(129), secret: marker })],
  ['an unknown field beside it', JSON.stringify({ platform: 'a', secret: marker, note: 'x' })],
  ['a misspelt field', JSON.stringify({ platform: 'a', sercet: marker })],
  ['no platform', JSON.stringify({ secret: marker })],
  ['in a list', JSON.stringify([{ platform: 'a', secret: marker }])],
  ['only text', JSON.stringify(marker)],
  ['cut in the secret', `{"platform":"a","secret":"${marker}`],
  ['cut after the secret', `{"platform":"a","secret":"${marker}"`],
  ['without quotes', `{"platform":"a","secret":${marker}}`],
  ['in single quotes', `{"platform":"a","secret":'${marker}'}`],
  ['a quote in the secret', `{"platform":"a","secret":"x"${marker}"}`],
  ['a bad escape', `{"platform":"a","secret":"${marker}\\q"}`],
  ['a line break', `{"platform":"a","secret":"${marker}\n"}`],
  ['two values', `${credential(marker)}${credential(marker)}`],
  ['bare', marker],
  ['a NUL', credential(`${marker}\0`)],
  ['half a surrogate pair', `{"platform":"a","secret":"${marker}\\ud800"}`],
  ['not UTF-8', Buffer.concat([Buffer.from(`{"platform":"a","secret":"${marker}`), Buffer.from([0xff, 0x22, 0x7d])])],
  ['a form', `platform=a&secret=${marker}`, { 'content-type': 'application/x-www-form-urlencoded' }],
  ['text', credential(marker), { 'content-type': 'text/plain' }],
  [
    'multipart',
    `--b\r\nContent-Disposition: form-data; name="secret"\r\n\r\n${marker}\r\n--b--\r\n`,
    { 'content-type': 'multipart/form-data; boundary=b' },
  ],
]

const tableNames = `select table_name as name from information_schema.tables where table_schema = 'public'`

describe.each(databaseKinds)('a secret on %s', (kind) => {
  let place: Place & AsyncDisposable
  let serving: Serving & AsyncDisposable
  const errors: string[] = []
  let doors: readonly (readonly [path: string, headers: Readonly<Record<string, string>>])[]

  beforeAll(async () => {
    const empty = await emptyPlace()
    place = kind === 'sqlite' ? empty : { ...empty, env: { SVC_DATABASE: await freshPostgres() } }
    serving = await svcServe(place, '--log-level', 'trace')
    const password = (await svc(['user', 'add', 'ada@example.com'], place)).stdout.trim()
    const token = (await svc(['token', 'add', 'ada@example.com', '--name', 'e2e', '--scope', '*'], place)).stdout.trim()
    const signedIn = await call('/console/api/session/sign-in', {
      headers: { ...json, origin: serving.url },
      body: JSON.stringify({ email: 'ada@example.com', password }),
    })
    const cookie = String(signedIn.headers['set-cookie']?.[0]?.split(';', 1)[0])
    doors = [
      ['/v1/cred', { authorization: `Bearer ${token}` }],
      ['/console/api/cred', { cookie, origin: serving.url }],
    ]
  })
  afterAll(async () => {
    await serving[Symbol.asyncDispose]()
    await place[Symbol.asyncDispose]()
  })

  const databaseOf = () => readDatabaseConfig({ env: { SVC_DATA: join(place.cwd, 'data'), ...place.env } })

  async function call(path: string, given: HttpCall, method = 'POST') {
    const answer = await send(serving.url, method, path, given)
    if (answer.status !== 200) errors.push(answer.text)
    return answer
  }

  /** Every row of every table, every file in the data directory with the write-ahead log, and the whole output of the server. */
  async function everything(): Promise<string[]> {
    const texts = [JSON.stringify(serving.log), serving.stderr()]
    for (const entry of await readdir(place.cwd, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) texts.push((await readFile(join(entry.parentPath, entry.name))).toString('latin1'))
    if (kind === 'postgres')
      for (const { name } of await runSql(databaseOf(), tableNames))
        texts.push(
          JSON.stringify(
            await runSql(
              databaseOf(),
              `select cast(t as text), encode(cast(cast(t as text) as bytea), 'hex') from "${String(name)}" t`,
            ),
          ),
        )
    return texts
  }

  const isShown = (text: string) => text.includes(marker) || text.includes(String(digits))

  it('a secret is in no answer of an error', async () => {
    for (const [path, door] of doors)
      for (const [name, body, headers = json] of bodies) {
        const { status, text } = await call(path, { headers: { ...door, ...headers }, body })
        const isValid = ['valid', 'that replaces', 'a duplicate key'].includes(name)
        expect(status, `${name}: ${text}`).toBe(isValid ? 200 : 400)
      }
    for (const [path, door] of doors) {
      await call(`${path}?secret=${marker}`, { headers: { ...door, ...json }, body: '{}' })
      await call(path, { headers: { ...door, ...json }, body: credential(marker) }, 'PUT')
    }
    await call('/v1/cred', { headers: json, body: credential(marker) })
    for (const given of [[marker], digits, `${marker}${'x'.repeat(1024)}`, `${marker} wrong`])
      await call('/console/api/session/sign-in', {
        headers: { ...json, origin: serving.url },
        body: JSON.stringify({ email: 'ada@example.com', password: given }),
      })
    expect(errors.length).toBeGreaterThan(55)
    expect(errors.filter(isShown)).toEqual([])
  })

  it('is in no file and no row while the server runs', async () => {
    expect((await everything()).filter(isShown)).toEqual([])
  })

  it('a secret is in no log of an internal error', async () => {
    await runSql(databaseOf(), 'alter table credential rename to lost')
    for (const [path, door] of doors)
      expect((await call(path, { headers: { ...door, ...json }, body: credential(marker) })).status).toBe(500)
    await runSql(databaseOf(), 'alter table lost rename to credential')
    // The log is buffered.
    await vi.waitFor(() => expect(serving.log.filter(({ msg }) => msg === 'internal error')).toHaveLength(2), 20_000)
    expect([...errors, ...(await everything())].filter(isShown)).toEqual([])
  })

  it('is listed for its owner, and is in no file after the stop', async () => {
    const [path, headers] = doors[0] ?? ['', {}]
    const { text } = await call(path, { headers }, 'GET')
    expect(text).toContain(`${marker} replaced`)
    expect(text).toContain(`${marker} last`)
    await serving.stop()
    expect((await everything()).filter(isShown)).toEqual([])
  })
})
