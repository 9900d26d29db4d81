import { Agent } from 'node:http'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorsOf, placeholders, type ErrorCode } from '@svc/contract'
import { checkedSchema } from '../../src/http/validate.js'
import { isLong } from '../../../../e2e/hostile/random.js'
import { databaseKinds } from '../app.js'
import { entries, openScene, titled, type Credentials, type Entry, type Scene } from '../walk/scene.js'
import { problems } from '../walk/schema.js'
import { setUps } from '../areas/index.js'
import { expectEnvelope, send, type HttpAnswer, type HttpCall } from '../raw-http.js'
import { atLength, bodyText, oddHeaders, oddQuery, oddSegment, valid, validQuery } from './arbitraries.js'

/**
 * Random inputs for every mounted operation on both databases, within a fixed time. To repeat a run:
 * `FUZZ_SEED=<the printed seed> npx vitest run packages/server/test/fuzz`. For a longer run: `FUZZ_SECONDS=600`, or `npm run test:long`.
 */

const seed = Number(process.env['FUZZ_SEED'] ?? process.env['SVC_TEST_SEED'] ?? Date.now() % 2 ** 31)
const seconds = Number(process.env['FUZZ_SECONDS'] ?? (isLong ? 120 : 4))
const msPerOperation = (seconds * 1000) / (entries.length * databaseKinds.length)

beforeAll(() => {
  console.info(`FUZZ_SEED=${seed}`)
})

/** Inputs per test: at least `runsMin`, even on a slow machine; then more while time is left. */
const runsMin = isLong ? 5 : 3
const runsMax = 30 * seconds

// A new connection for each request took a quarter of the time.
const agent = new Agent({ keepAlive: true })

let tried = 0
afterAll(() => {
  agent.destroy()
  console.info(`${tried} inputs in ${seconds} s`)
})

async function tryFor<T extends [unknown, ...unknown[]]>(
  ms: number,
  arbitraries: { [K in keyof T]: fc.Arbitrary<T[K]> },
  attempt: (...input: T) => Promise<void>,
): Promise<void> {
  const end = performance.now() + ms
  let runs = 0
  const property = fc.asyncProperty(fc.tuple<T>(...arbitraries), async (input) => {
    if (runs++ >= runsMin && performance.now() > end) return
    tried++
    await attempt(...input)
  })
  await fc.assert(property, { seed, numRuns: runsMax, endOnFailure: false })
}

/** Checks that the error is declared, that the status is not 500, and that JSON answers have the envelope. */
function expectSound(answer: HttpAnswer, { op, door }: Entry): void {
  expect(answer.headers['x-request-id']).toMatch(/^req_[0-9a-f]{16}$/)
  if (answer.status === 304 || answer.status === 302) expect(answer.text).toBe('')
  else if (answer.status === 200 && answer.body['success'] === undefined) expect(op.kind).not.toBe('json')
  else expectEnvelope(answer)
  const declared: ErrorCode[] = [...errorsOf(op), ...(door === 'console' ? (['forbidden'] as const) : [])]
  if (answer.body['success'] === false)
    expect(declared.filter((code) => code !== 'internal_error')).toContain(answer.body['error'])
  expect(answer.status).not.toBe(500)
}

/** The value and every key and value in it. Not recursive, because some values are nested too deep for the stack. */
function partsOf(value: unknown): unknown[] {
  const parts = [value]
  for (const part of parts)
    if (typeof part === 'object' && part !== null) for (const entry of Object.entries(part)) parts.push(...entry)
  return parts
}

/** Text that a database cannot store, and integers beyond the safe range. */
const isUnstorable = (part: unknown) =>
  (typeof part === 'string' && (part.includes('\0') || !part.isWellFormed())) ||
  (typeof part === 'number' && Number.isInteger(part) && !Number.isSafeInteger(part))

/** The schemas that the server validates before it calls a handler. positive.test.ts tests their other limits. */
const checked = new Map(
  entries.flatMap(({ op }) =>
    [op.params, op.query, op.body].flatMap((schema) => (schema ? [[schema as object, checkedSchema(schema)]] : [])),
  ) as [object, object][],
)
const checkedOf = (schema: object | undefined): object | undefined => schema && checked.get(schema)

/** Whether the server must refuse this body before it calls the handler. */
function mustRefuse({ op }: Entry, text: string): boolean {
  let value: unknown
  try {
    value = text === '' ? undefined : JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    if (error instanceof SyntaxError) return true
    throw error
  }
  if (isCostly(text, op.maxBodyValues) || partsOf(value).some(isUnstorable)) return true
  const body = checkedOf(op.body)
  return body === undefined ? value !== undefined && problems(noFields, value) !== '' : problems(body, value) !== ''
}

/** Counted in the text: a repeated key hides a deep value from what JSON.parse returns. */
function isCostly(text: string, valuesMax = 1000): boolean {
  const structure = text.replace(/"(?:[^"\\]|\\.)*"/gs, '').replace(/[^[\]{},]/g, '')
  let depth = 0
  let deepest = 0
  for (const sign of structure) {
    depth += sign === '[' || sign === '{' ? 1 : sign === ',' ? 0 : -1
    deepest = Math.max(deepest, depth)
  }
  return deepest > 32 || 1 + structure.replace(/[\]}]/g, '').length > valuesMax
}

/** An operation with bytes may refuse the fields before them, before it has read the rest of the body. */
const refusalsOf = ({ op }: Entry) => (op.bytes ? ['bad_request', 'not_found'] : ['bad_request'])

const noFields = { type: 'object', additionalProperties: false }

describe.each(databaseKinds)('on %s', (kind) => {
  let scene: Scene
  let token: Credentials
  beforeAll(async () => {
    // Behind a trusted proxy, so that the fuzzed forwarding headers have an effect.
    scene = await openScene(kind, { trustProxy: ['loopback'], geoHeader: 'x-country' })
    token = await scene.credentials('v1', scene.owner)
  })
  afterAll(async () => {
    const [line] = scene.log.filter((text) => text.includes('internal error'))
    await scene.stop()
    expect(line).toBeUndefined()
  })

  // Some operations end the session that calls them.
  const credentials = ({ door }: Entry) => (door === 'v1' ? token : scene.credentials('console', scene.owner))

  async function call(entry: Entry, url: string, { headers, body }: HttpCall): Promise<HttpAnswer> {
    const json = body === undefined ? {} : { 'content-type': 'application/json' }
    const origin = entry.door === 'console' ? { origin: scene.url } : {}
    const allHeaders = { ...origin, ...json, ...(await credentials(entry)), ...headers }
    const answer = await send(scene.url, entry.op.method, url, {
      agent,
      headers: allHeaders,
      ...(body === undefined ? {} : { body }),
    })
    expectSound(answer, entry)
    return answer
  }

  const filled = (entry: Entry, segments: Readonly<Record<string, unknown>>) =>
    placeholders(entry.path).reduce(
      (path, name) => path.replace(`{${name}}`, encodeURIComponent(String(segments[name]))),
      entry.path,
    )

  const refusedByRule = ({ op }: Entry, { body }: HttpAnswer) =>
    body['error'] === 'bad_request' && setUps[op.id]?.rules?.test(String(body['message'])) !== true

  describe.each(titled(entries))('%s', (_, entry) => {
    const { method } = entry.op
    const [params, query, body] = [entry.op.params, entry.op.query, entry.op.body].map(checkedOf)
    // An empty parameter makes another path.
    const noneEmpty = (given: unknown) => Object.values(given as object).every((value) => value !== '')
    const segments = (params === undefined ? fc.constant({}) : valid(params).filter(noneEmpty)) as fc.Arbitrary<
      Record<string, unknown>
    >

    it('accepts valid input, answers 400 to invalid input, and never 500', async () => {
      // Half of the calls name an existing resource.
      const existing = (await setUps[entry.op.id]?.works?.(scene))?.params ?? {}
      const texts = method === 'GET' ? fc.constant(undefined) : bodyText(body)
      await tryFor(
        msPerOperation / 2,
        [fc.oneof(segments, fc.constant(existing)), validQuery(query), texts],
        async (path, pairs, short) => {
          const sent = short === undefined ? undefined : atLength(short)
          const search = new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString()
          const answer = await call(entry, `${filled(entry, path)}?${search}`, sent === undefined ? {} : { body: sent })
          if (sent !== undefined && mustRefuse(entry, sent)) expect(refusalsOf(entry)).toContain(answer.body['error'])
          else expect(refusedByRule(entry, answer), answer.text).toBe(false)
        },
      )
    })

    it('never answers 500 to an unusual path, query or header', async () => {
      const names = query !== undefined && 'properties' in query ? Object.keys(query.properties as object) : []
      const odd = placeholders(entry.path).map(() => oddSegment)
      const inputs = [fc.tuple(...odd), oddQuery(names), oddHeaders, fc.boolean()] as const
      await tryFor(msPerOperation / 2, [...inputs], async (parts, search, headers, isSignedIn) => {
        let index = 0
        const path = entry.path.replace(/\{\w+\}/g, () => parts[index++] ?? '')
        const caller = isSignedIn ? await credentials(entry) : {}
        const answer = await send(scene.url, method, `${path}?${search}`, { agent, headers: { ...caller, ...headers } })
        // An unusual segment may result in a path that does not exist.
        if (answer.body['error'] === 'not_found') expectEnvelope(answer)
        else expectSound(answer, entry)
      })
    })
  })
})
