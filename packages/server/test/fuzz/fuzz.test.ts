import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorsOf, placeholders, type ErrorCode } from '@svc/contract'
import { checkedSchema } from '../../src/http/validate.js'
import { databaseKinds } from '../app.js'
import { entries, openScene, titled, type Credentials, type Entry, type Scene } from '../walk/scene.js'
import { problems } from '../walk/schema.js'
import { setUps } from '../walk/set-ups.js'
import { expectEnvelope, send, type WireAnswer, type WireCall } from '../wire.js'
import { atLength, bodyText, oddHeaders, oddQuery, oddStep, valid, validQuery } from './arbitraries.js'

/**
 * Inputs that nobody thought of, for every mounted operation on both databases, within a fixed time. The same again:
 * `FUZZ_SEED=<the seed that was printed> npx vitest run packages/server/test/fuzz`; longer: `FUZZ_SECONDS=600`.
 */

const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31)
const seconds = Number(process.env['FUZZ_SECONDS'] ?? 14)
const share = (seconds * 1000) / (entries.length * databaseKinds.length)

beforeAll(() => {
  console.info(`FUZZ_SEED=${seed}`)
})

/** So many inputs are tried at least, however slow the machine; beyond them, as many as there is time for. */
const fewest = 5
const most = 30 * seconds

let tried = 0
afterAll(() => {
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
    if (runs++ >= fewest && performance.now() > end) return
    tried++
    await attempt(...input)
  })
  await fc.assert(property, { seed, numRuns: most, endOnFailure: false })
}

/** Never a 5xx but one that is declared, never an answer outside the envelope but those that have none. */
function expectSound(answer: WireAnswer, { op, door }: Entry): void {
  expect(answer.headers['x-request-id']).toMatch(/^req_[0-9a-f]{16}$/)
  if (answer.status === 304 || answer.status === 302) expect(answer.text).toBe('')
  else if (answer.status === 200 && answer.body['success'] === undefined) expect(op.kind).not.toBe('json')
  else expectEnvelope(answer)
  const declared: ErrorCode[] = [...errorsOf(op), ...(door === 'console' ? (['forbidden'] as const) : [])]
  if (answer.body['success'] === false)
    expect(declared.filter((code) => code !== 'internal_error')).toContain(answer.body['error'])
  expect(answer.status).not.toBe(500)
}

/** Every key and value in a value, itself included. Not by recursion: some are nested deeper than that goes. */
function partsOf(value: unknown): unknown[] {
  const parts = [value]
  for (const part of parts)
    if (typeof part === 'object' && part !== null) for (const entry of Object.entries(part)) parts.push(...entry)
  return parts
}

/** Text that no database keeps, and integers that JSON does not carry exactly. */
const isUnkept = (part: unknown) =>
  (typeof part === 'string' && (part.includes('\0') || !part.isWellFormed())) ||
  (typeof part === 'number' && Number.isInteger(part) && !Number.isSafeInteger(part))

/** What is checked before the area is called; the other limits of a schema are for positive.test.ts. */
const checked = new Map(
  entries.flatMap(({ op }) =>
    [op.params, op.query, op.body].flatMap((schema) => (schema ? [[schema as object, checkedSchema(schema)]] : [])),
  ) as [object, object][],
)
const checkedOf = (schema: object | undefined): object | undefined => schema && checked.get(schema)

/** Whether a body has to be refused, whatever the area says of it. */
function refusedBody({ op }: Entry, text: string): boolean {
  let value: unknown
  try {
    value = text === '' ? undefined : JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    if (error instanceof SyntaxError) return true
    throw error
  }
  if (isCostly(text) || partsOf(value).some(isUnkept)) return true
  const body = checkedOf(op.body)
  return body === undefined ? value !== undefined && problems(noFields, value) !== '' : problems(body, value) !== ''
}

/** Counted in the text: a repeated key hides a deep value from what JSON.parse returns. */
function isCostly(text: string): boolean {
  const structure = text.replace(/"(?:[^"\\]|\\.)*"/gs, '').replace(/[^[\]{},]/g, '')
  let depth = 0
  let deepest = 0
  for (const sign of structure) {
    depth += sign === '[' || sign === '{' ? 1 : sign === ',' ? 0 : -1
    deepest = Math.max(deepest, depth)
  }
  return deepest > 32 || 1 + structure.replace(/[\]}]/g, '').length > 1000
}

const noFields = { type: 'object', additionalProperties: false }

describe.each(databaseKinds)('on %s', (kind) => {
  let scene: Scene
  let token: Credentials
  beforeAll(async () => {
    // Behind a proxy, so that its headers count too.
    scene = await openScene(kind, { trustProxy: ['loopback'], geoHeader: 'x-country' })
    token = await scene.credentials('v1', scene.owner)
  })
  afterAll(async () => {
    const [line] = scene.log.filter((text) => text.includes('internal error'))
    await scene.stop()
    expect(line).toBeUndefined()
  })

  // Some operations end the session that they are called with.
  const credentials = ({ door }: Entry) => (door === 'v1' ? token : scene.credentials('console', scene.owner))

  async function call(entry: Entry, url: string, { headers, body }: WireCall): Promise<WireAnswer> {
    const json = body === undefined ? {} : { 'content-type': 'application/json' }
    const origin = entry.door === 'console' ? { origin: scene.url } : {}
    const said = { ...origin, ...json, ...(await credentials(entry)), ...headers }
    const answer = await send(scene.url, entry.op.method, url, {
      headers: said,
      ...(body === undefined ? {} : { body }),
    })
    expectSound(answer, entry)
    return answer
  }

  const filled = (entry: Entry, steps: Readonly<Record<string, unknown>>) =>
    placeholders(entry.path).reduce(
      (path, name) => path.replace(`{${name}}`, encodeURIComponent(String(steps[name]))),
      entry.path,
    )

  const refusedByRule = ({ op }: Entry, { body }: WireAnswer) =>
    body['error'] === 'bad_request' && setUps[op.id]?.rules?.test(String(body['message'])) !== true

  describe.each(titled(entries))('%s', (_, entry) => {
    const { method } = entry.op
    const [params, query, body] = [entry.op.params, entry.op.query, entry.op.body].map(checkedOf)
    const steps = (params === undefined ? fc.constant({}) : valid(params)) as fc.Arbitrary<Record<string, unknown>>

    it('takes what its schema takes, refuses the rest, and breaks at nothing', async () => {
      // Half the time at a place that is there.
      const there = (await setUps[entry.op.id]?.works?.(scene))?.params ?? {}
      const texts = method === 'GET' ? fc.constant(undefined) : bodyText(body)
      await tryFor(
        share / 2,
        [fc.oneof(steps, fc.constant(there)), validQuery(query), texts],
        async (path, pairs, short) => {
          const sent = short === undefined ? undefined : atLength(short)
          const search = new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString()
          const answer = await call(entry, `${filled(entry, path)}?${search}`, sent === undefined ? {} : { body: sent })
          if (sent !== undefined && refusedBody(entry, sent)) expect(answer.body['error']).toBe('bad_request')
          else expect(refusedByRule(entry, answer), answer.text).toBe(false)
        },
      )
    })

    it('breaks at no odd path, query or header', async () => {
      const names = Object.keys((query as { properties?: object } | undefined)?.properties ?? {})
      const odd = placeholders(entry.path).map(() => oddStep)
      const inputs = [fc.tuple(...odd), oddQuery(names), oddHeaders, fc.boolean()] as const
      await tryFor(share / 2, [...inputs], async (parts, search, headers, known) => {
        let index = 0
        const path = entry.path.replace(/\{\w+\}/g, () => parts[index++] ?? '')
        const who = known ? await credentials(entry) : {}
        const answer = await send(scene.url, method, `${path}?${search}`, { headers: { ...who, ...headers } })
        // Where a step is odd, there may be no such path.
        if (answer.body['error'] === 'not_found') expectEnvelope(answer)
        else expectSound(answer, entry)
      })
    })
  })
})
