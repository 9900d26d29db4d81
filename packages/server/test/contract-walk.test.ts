import { METHODS } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  consoleOperations,
  type ErrorCode,
  errorsOf,
  operations,
  requiredScopes,
  scopes,
  type TokenScope,
} from '@svc/contract'
import { databaseKinds } from './app.js'
import { entries, openScene, titled, urlOf, type Call, type Credentials, type Entry, type Scene } from './walk/scene.js'
import { problems, shut } from './walk/schema.js'
import type { SetUp } from './areas/area-parts.js'
import { setUps } from './areas/index.js'
import { expectEnvelope, expectError, type HttpAnswer } from './raw-http.js'

/**
 * Checks every mounted operation, at every door, for the guarantees that all operations share. Answers of handlers are checked on
 * both databases. Requests that are refused before the handler are checked on SQLite only.
 */

const setUpOf = ({ op }: Entry): SetUp => setUps[op.id] ?? {}

const isProtected = ({ op }: Entry) => op.access !== 'public'
const isScoped = ({ op }: Entry) => typeof op.access === 'object'
const takesBody = ({ op }: Entry) => op.body !== undefined
const takesNoFields = ({ op }: Entry) => op.body === undefined && op.method !== 'GET'
const declares =
  (...codes: ErrorCode[]) =>
  ({ op }: Entry) =>
    codes.some((code) => op.errors?.includes(code))

/** Calls as the owner with the example's input, which `said` overrides. Checks that a refusal has a declared code. */
async function call(scene: Scene, entry: Entry, said: Call, as?: Credentials): Promise<HttpAnswer> {
  const { params, query, body } = entry.op.example
  const caller = as ?? (isProtected(entry) ? await scene.credentials(entry.door, scene.owner) : {})
  const answer = await scene.send(entry, { params, query, body, ...said }, caller)
  if (answer.body['success'] !== true && answer.status !== 200)
    expect([...errorsOf(entry.op), ...ofTheDoor(entry)]).toContain(answer.body['error'])
  return answer
}

it('has no set-up for an operation that no longer exists', () => {
  const ids = entries.map(({ op }) => op.id)
  expect(Object.keys(setUps).filter((id) => !ids.includes(id))).toEqual([])
})

describe.each(databaseKinds)('every operation on %s', (kind) => {
  let scene: Scene
  beforeAll(async () => {
    scene = await openScene(kind)
  })
  afterAll(() => scene.stop())

  describe.each(titled(entries))('%s', (_, entry) => {
    it('answers its example as declared', async () => {
      const { works, worksAlone } = setUpOf(entry)
      const own = worksAlone && (await openScene(kind))
      const at = own ?? scene
      const answer = await call(at, entry, (await (worksAlone ?? works)?.(at)) ?? {})
      await own?.stop()
      expect(answer.status, answer.text).toBe(200)
      const { data, produces } = entry.op
      if (data === undefined) {
        const mediaType = String(answer.headers['content-type']).split(';')[0]
        const isAnyType = produces?.[0] === '*/*'
        expect(produces).toContain(isAnyType ? '*/*' : mediaType)
        expect(answer.headers['x-request-id']).toMatch(/^req_[0-9a-f]{16}$/)
        // A stream of one type is made for the request, so it has none.
        if (entry.op.kind === 'document' || isAnyType) expect(answer.headers.etag).toMatch(/^"[\w-]+"$/)
        return
      }
      expectEnvelope(answer)
      expect(problems(shut(data), answer.body['data'])).toBe('')
    })
  })

  it.each(titled(entries.filter(takesNoFields)))(
    'accepts an empty object as body and refuses fields: %s',
    async (_, entry) => {
      const said = (await setUpOf(entry).works?.(scene)) ?? {}
      expect((await call(scene, entry, { ...said, body: {} })).status).toBe(200)
      const answer = await call(scene, entry, { body: { unknown_field: 1 } })
      expectError(answer, 'bad_request')
      expect(answer.body['message']).toContain('unknown_field is not known')
      expect(answer.body['field']).toBe('unknown_field')
    },
  )

  const foreign = entries.filter(declares('forbidden', 'forbidden_zone'))
  it.each(titled(foreign))('403 for a resource of another account: %s', async (_, entry) => {
    const said = await setUpOf(entry).foreign?.(scene)
    if (said === undefined)
      throw new Error(`${entry.op.id} declares 403, but its area in test/areas has nothing foreign for it.`)
    expectError(
      await call(scene, entry, said),
      entry.op.errors?.includes('forbidden_zone') ? 'forbidden_zone' : 'forbidden',
    )
  })

  it.each(titled(entries.filter(declares('not_found'))))(
    '404 not_found for a nonexistent resource: %s',
    async (_, entry) => {
      const { missing } = setUpOf(entry)
      const said = typeof missing === 'function' ? await missing(scene) : missing
      if (said === undefined)
        throw new Error(`${entry.op.id} declares 404, but its area in test/areas has nothing missing for it.`)
      expectError(await call(scene, entry, said), 'not_found')
    },
  )
})

describe('every operation refuses before its handler', () => {
  let scene: Scene
  const callers: Partial<Record<string, Promise<Credentials>>> = {}
  beforeAll(async () => {
    scene = await openScene('sqlite')
  })
  afterAll(() => scene.stop())

  /** A refused request leaves its session and token as they are, so that the next one can use them. */
  const callerAt = (door: Entry['door'], ...held: TokenScope[]): Promise<Credentials> =>
    (callers[[door, ...held].join(' ')] ??= scene.credentials(door, scene.owner, ...held))
  const refused = async (entry: Entry, said: Call, ...held: TokenScope[]): Promise<HttpAnswer> =>
    call(scene, entry, said, await callerAt(entry.door, ...held))

  it.each(titled(entries))('404 not_found below its path: %s', async (_, entry) => {
    expectError(await scene.sendTo(entry.op.method, `${urlOf(entry.path, {})}/no/such/path`), 'not_found')
  })

  const withParams = entries.filter(({ path }) => path.includes('{'))
  it.each(titled(withParams))('404 not_found for an empty path parameter, with any method: %s', async (_, { path }) => {
    for (const name of path.match(/\{\w+\}/g) ?? []) {
      const empty = path.replace(name, '').replaceAll(/\{\w+\}/g, '1')
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const answer = await scene.sendTo(method, empty)
        expect([method, answer.status]).toEqual([method, 404])
        if (method !== 'HEAD') expectError(answer, 'not_found')
      }
    }
  })

  it.each(titled(entries.filter(isProtected)))('401 unauthorized without valid credentials: %s', async (_, entry) => {
    for (const headers of invalidCredentials(entry, await callerAt('v1'), await callerAt('console'))) {
      const answer = await call(scene, entry, { headers }, {})
      expectError(answer, 'unauthorized')
      expect(answer.headers['www-authenticate']).toBe(entry.door === 'v1' ? 'Bearer' : undefined)
    }
  })

  const scoped = entries.filter((entry) => isScoped(entry) && entry.door === 'v1')
  // The scope table tries every scope.
  it.each(titled(scoped))('403 forbidden_scope for an insufficient scope: %s', async (_, entry) => {
    const required = requiredScopes(entry.op)
    const scope = scopes.find((held) => !required.includes(held))!
    const answer = await refused(entry, {}, scope)
    expectError(answer, 'forbidden_scope')
    expect(answer.body).toMatchObject({ required_scopes: required, token_scopes: [scope] })
  })

  it.each(titled(entries.filter(takesBody)))('400 bad_request for a malformed body: %s', async (_, entry) => {
    const json = JSON.stringify(entry.op.example.body)
    const large = json + ' '.repeat(1024 * 1024)
    const bodies = ['{', `${json}}`, '[]', '"text"', '7', 'null', 'true', large, '{"__proto__":{"id":1}}']
    for (const body of bodies) expectError(await refused(entry, { body }), 'bad_request')
    for (const type of [
      'text/plain',
      'application/xml',
      'application/vnd.api+json',
      'application/x-www-form-urlencoded',
    ])
      expectError(await refused(entry, { body: json, headers: { 'content-type': type } }), 'bad_request')
  })

  it.each(titled(entries.filter(takesBody)))('400 bad_request that names an unknown field: %s', async (_, entry) => {
    const answer = await refused(entry, { body: { ...entry.op.example.body, unknown_field: 1 } })
    expectError(answer, 'bad_request')
    expect(answer.body['message']).toContain('unknown_field is not known')
    expect(answer.body['field']).toBe('unknown_field')
  })

  it.each(titled(entries))('400 bad_request that names an unknown query parameter: %s', async (_, entry) => {
    const { query = {} } = entry.op.example
    const answer = await refused(entry, { query: { ...query, unknown_parameter: 1 } })
    expectError(answer, 'bad_request')
    expect(answer.body['message']).toMatch(/^unknown_parameter is not known in this query: it takes /)
    expect(answer.body['field']).toBe('unknown_parameter')
    for (const name of Object.keys(entry.op.query?.properties ?? {})) expect(answer.body['message']).toContain(name)
  })

  const writes = entries.filter(({ op, door }) => door === 'console' && op.method !== 'GET')
  it.each(titled(writes))("403 forbidden for a write from another site's page: %s", async (_, entry) => {
    for (const origin of ['http://elsewhere.example', 'null', `${scene.url}.example`, '']) {
      expectError(await refused(entry, { headers: { origin } }), 'forbidden')
    }
  })
})

/** Error codes that the door adds to those of the operation. */
const ofTheDoor = ({ op, door }: Entry): ErrorCode[] => (door === 'console' && op.method !== 'GET' ? ['forbidden'] : [])

/** Headers that do not authenticate a caller at that door, made of valid ones. */
function invalidCredentials(
  { door }: Entry,
  { authorization = '' }: Credentials,
  { cookie = '' }: Credentials,
): NonNullable<Call['headers']>[] {
  const unknown = `svc_${'0'.repeat(32)}`
  const token = authorization.replace('Bearer ', '')
  if (door === 'console')
    return [{}, { cookie: 'svc_session=unknown' }, { cookie: 'svc_session' }, { authorization: `Bearer ${token}` }]
  return [
    {},
    { authorization: '' },
    { authorization: `Bearer ${unknown}` },
    { authorization: 'Bearer' },
    { authorization: token },
    { authorization: `Bearer ${token}0` },
    { authorization: `Bearer ${token} ${token}` },
    { authorization: `Basic ${Buffer.from(`${token}:`).toString('base64')}` },
    { authorization: `Basic ${token}` },
    { authorization: `Token ${token}` },
    { authorization: [`Bearer ${token}`, `Bearer ${token}`] },
    { 'x-api-key': token },
    { cookie },
  ]
}

describe('methods', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await openScene('sqlite')
  })
  afterAll(() => scene.stop())

  const paths = [...new Set(entries.map(({ path }) => path))]
  it.each(paths)('405 with the exact Allow header for every other method of %s', async (path) => {
    const there = entries.filter((entry) => entry.path === path).map(({ op }) => op.method)
    const allowed = [...there.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS']
    // CONNECT names a host, not a path.
    for (const method of METHODS.filter((candidate) => ![...allowed, 'CONNECT'].includes(candidate))) {
      const answer = await scene.sendTo(method, urlOf(path, {}))
      expect(answer.headers.allow?.split(', ').sort(), method).toEqual([...allowed].sort())
      if (method === 'HEAD') expect([answer.status, answer.text]).toEqual([405, ''])
      else expectError(answer, 'method_not_allowed')
    }
  })
})

it('405 also for a path with a segment of 1,000 characters', async () => {
  const scene = await openScene('sqlite')
  for (const { path } of entries.filter((entry) => entry.path.includes('{'))) {
    const long = path.replaceAll(/\{\w+\}/g, 'x'.repeat(1000))
    expectError(await scene.sendTo('PROPFIND', long), 'method_not_allowed')
  }
  await scene.stop()
})

it('every operation of the contract is mounted', () => {
  const mounted = new Set(entries.map(({ op }) => op))
  expect([...operations, ...consoleOperations].filter((op) => !mounted.has(op))).toEqual([])
})
