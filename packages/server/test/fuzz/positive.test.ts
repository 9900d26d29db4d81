import * as fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { areas, recordTypes, type RecordType } from '@svc/contract'
import { isLong, seed } from '../../../../e2e/hostile/random.js'
import { entries, openScene, titled, type Call, type Entry, type Scene } from '../walk/scene.js'
import { setUps } from '../areas/index.js'
import type { HttpAnswer } from '../raw-http.js'
import { valid } from './arbitraries.js'
import { formId, takenSlug } from './deployment-refusals.js'
import {
  finishedUpload,
  namedCredential,
  namedPlatform,
  openUpload,
  plainFile,
  published,
  publishedVersion,
  refusals,
  takenName,
} from './refusals.js'

/**
 * Input that the OpenAPI document allows is not refused with 400: the check `positive_data_acceptance` of schemathesis.
 * `SVC_TEST_SEED` selects the inputs.
 */

/** Fewer than the limits of an account, such as 1,000 credentials. */
const numRuns = isLong ? 500 : 15
const timeoutMs = isLong ? 600_000 : 30_000

let scene: Scene
async function prepare(): Promise<void> {
  tokens.clear()
  scene = sharingTokens(await openScene('sqlite'))
  await createFiles()
  await createDeployments()
  await createKey()
  await createCredentials()
  const { body } = published(publishedVersion, { name: 'a', content: '' })
  await scene.call('POST', '/v1/packages/publish', { token: await scene.token(scene.owner, 'packages:write'), body })
}

/** Begins with a new server. Thousands of random calls of one operation delete what the next one needs. */
function useScene(): void {
  beforeAll(prepare)
  afterAll(() => scene.stop())
}
if (!isLong) useScene()

const tokens = new Map<string, Promise<string>>()
// A test may revoke tokens.
beforeEach(() => tokens.clear())

/** The scene with one token for each set of scopes in a test: a token for each call would exceed the limit of an account. */
function sharingTokens(opened: Scene): Scene {
  const token: Scene['token'] = (account, ...scopes) => {
    const key = `${account.id} ${scopes.join(' ')}`
    const shared = tokens.get(key) ?? opened.token(account, ...scopes)
    tokens.set(key, shared)
    return shared
  }
  return {
    ...opened,
    token,
    credentials: async (door, account, ...scopes) =>
      door === 'console' || scopes.length > 0
        ? opened.credentials(door, account, ...scopes)
        : { authorization: `Bearer ${await token(account, '*')}` },
  }
}

/** Files that are not shared, a finished upload and open ones: the examples of some refusals name them. */
async function createFiles(): Promise<void> {
  const token = await scene.token(scene.owner, 'files:write')
  const post = (path: string, body: object) => scene.call('POST', `/v1/files/${path}`, { token, body })
  for (let i = 0; i < plainFile; i++) await post('upload', { name: 'a', content: '' })
  for (let i = 0; i < openUpload; i++) await post('upload-chunk', { index: 0, content: 'aGVsbG8=' })
  await post('upload-finalize', { upload_id: finishedUpload, name: 'a', parts: 1 })
}

/** Forms and short links, and those of the examples. */
async function createDeployments(): Promise<void> {
  const token = await scene.token(scene.owner, 'deploy:write')
  const create = (body: object) => scene.call('POST', '/v1/deployments/create', { token, body })
  for (let id = 1; id < formId; id++)
    await create(id % 2 ? { kind: 'form' } : { kind: 'shortlink', target: 'http://a.example' })
  await create({ kind: 'form', slug: takenSlug })
  await create({ kind: 'shortlink', target: 'http://a.example' })
}

/** Credentials with their ids as labels: an example names two. */
async function createCredentials(): Promise<void> {
  const token = await scene.token(scene.owner, 'cred:write')
  for (let id = 1; id <= namedCredential + 1; id++)
    await scene.call('POST', '/v1/cred', { token, body: { platform: namedPlatform, label: String(id), secret: 's' } })
}

/** The API key of an example. */
async function createKey(): Promise<void> {
  const { cookie } = await scene.session(scene.owner)
  const headers = { cookie, origin: scene.url }
  await scene.call('POST', '/console/api/keys', { headers, body: { name: takenName, scopes: ['dns:read'] } })
}

/** Each operation at one door: both doors have the same checks. */
const atOneDoor = entries.filter((entry, index) => entries.findIndex(({ op }) => op === entry.op) === index)

/** Calls with a new session each time, because some operations end the session that calls them. No operation of /v1 ends a token. */
const call = async (entry: Entry, input: Call): Promise<HttpAnswer> => {
  const answer = await scene.send(entry, input, await scene.credentials(entry.door, scene.owner))
  if (entry.door === 'v1') expect(answer.status).not.toBe(401)
  return answer
}

/** The message of a 400; undefined for other answers. */
const refusalOf = ({ status, body }: HttpAnswer) => (status === 400 ? String(body['message']) : undefined)

const isKnown = ({ op }: Entry, message: string) => (refusals[op.id] ?? []).some((known) => known.message.test(message))

const part = (schema: object | undefined) =>
  schema === undefined
    ? fc.constant(undefined)
    : (valid(schema) as fc.Arbitrary<Readonly<Record<string, unknown>> | undefined>)

describe.each(titled(atOneDoor))('%s', (_, entry) => {
  if (isLong) useScene()
  const { params, query, body } = entry.op

  // First, because random calls may delete what the examples name.
  it.each((refusals[entry.op.id] ?? []).map((known) => [known.why, known] as const))(
    'still needs the exception: %s',
    async (_why, { message, example }) => {
      const works = await setUps[entry.op.id]?.works?.(scene)
      const input = { params: works?.params, ...example }
      expect(refusalOf(await call(entry, input)) ?? 'accepted').toMatch(message)
    },
  )

  it(
    'does not answer 400 to input that its schema allows',
    async () => {
      const setUp = setUps[entry.op.id]
      const existing = (await setUp?.works?.(scene))?.params
      const path = existing === undefined ? part(params) : fc.oneof(part(params), fc.constant(existing))
      await fc.assert(
        fc.asyncProperty(path, part(query), part(body), async (segments, fields, sent) => {
          if (setUp?.isNeededEachTime) await setUp.works?.(scene)
          const message = refusalOf(await call(entry, { params: segments, query: fields, body: sent }))
          expect(message === undefined || isKnown(entry, message), message).toBe(true)
        }),
        { seed, numRuns, endOnFailure: true },
      )
    },
    timeoutMs,
  )
})

describe('a record with a valid combination of fields is not refused', () => {
  if (isLong) useScene()
  const name = fc.domain().map((some) => some.toLowerCase())
  const short = fc.integer({ min: 0, max: 65535 })
  // Without quotation marks and backslashes, which are syntax in TXT values.
  const letters = Array.from('abc XYZ 019 -_=;:.@')
  const forms: Readonly<Record<RecordType, fc.Arbitrary<string>>> = {
    A: fc.ipV4(),
    AAAA: fc.ipV6(),
    CNAME: name,
    MX: name,
    TXT: fc.string({ minLength: 1, maxLength: 300, unit: fc.constantFrom(...letters) }),
    NS: name,
    SRV: fc.tuple(short, short, name).map((parts) => parts.join(' ')),
    CAA: name.map((issuer) => `0 issue "${issuer}"`),
    PTR: name,
    SPF: name.map((domain) => `v=spf1 include:${domain} -all`),
  }
  const creation = atOneDoor.find(({ op }) => op.id === 'dns.recordCreate')
  const declared = (field: 'priority' | 'ttl') => valid(areas.dns.recordCreate.body.properties[field])

  it.each(recordTypes)(
    '%s: a record with a valid combination of fields is not refused',
    async (type) => {
      if (creation === undefined) throw new Error('dns.recordCreate is not mounted.')
      const params = (await setUps['dns.recordCreate']?.works?.(scene))?.params
      const label = fc.stringMatching(/^[a-z0-9_]([a-z0-9-]{0,20}[a-z0-9])?$/).filter((some) => !some.includes('--'))
      let host = 0
      await fc.assert(
        fc.asyncProperty(forms[type], label, declared('priority'), declared('ttl'), async (value, some, ...rest) => {
          const [priority, ttl] = rest
          // A new host for each record excludes conflicts with other records.
          const body = { type, host: `${some}.h${String(host++)}`, value, ttl, priority }
          expect(refusalOf(await call(creation, { params, body }))).toBeUndefined()
        }),
        { seed, numRuns, endOnFailure: true },
      )
    },
    timeoutMs,
  )
})

it('lists only mounted operations', () => {
  const mounted = new Set(atOneDoor.map(({ op }) => op.id))
  expect(Object.keys(refusals).filter((id) => !mounted.has(id))).toEqual([])
})
