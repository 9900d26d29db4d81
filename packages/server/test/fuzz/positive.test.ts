import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { areas, recordTypes, type RecordType } from '@svc/contract'
import { isLong, seed } from '../../../../e2e/hostile/random.js'
import { entries, openScene, titled, type Call, type Entry, type Scene } from '../walk/scene.js'
import { setUps } from '../walk/set-ups.js'
import type { HttpAnswer } from '../raw-http.js'
import { valid } from './arbitraries.js'

/**
 * Input that the OpenAPI document allows is not refused with 400: the check `positive_data_acceptance` of schemathesis.
 * `SVC_TEST_SEED` selects the inputs.
 */

const numRuns = isLong ? 2000 : 15
const timeoutMs = isLong ? 600_000 : 30_000

/** A refusal that the schema cannot express. */
interface Refusal {
  readonly message: RegExp
  readonly why: string
  /** Input that the schema allows and the server refuses with this message. It shows that the entry is still needed. */
  readonly example: Call
}

const record = (body: Record<string, unknown>) => ({ body: { type: 'A', host: 'www', value: '192.0.2.1', ...body } })

const values: readonly Refusal[] = [
  { message: /^value /, why: 'The form of `value` depends on `type`.', example: record({ value: 'x' }) },
  {
    message: /^host (must be |and the zone together have |@ |\S+ (cannot have|already has) )/,
    why: 'IDNA, the length with the zone, and conflicts with other records of the host.',
    example: record({ host: '-' }),
  },
]

/** @param body a valid body without a name */
const fileName = (body: object): Refusal => ({
  message: /^name must (?!not be empty|not contain (slashes|control))/,
  why: 'JSON Schema counts characters, file systems count bytes; and some names are devices or folders.',
  example: { body: { ...body, name: 'con.txt' } },
})

/** @param body a valid body without content */
const content = (body: object): Refusal => ({
  message: /^content .*base64/,
  why: 'Many JSON Schema validators do not check `contentEncoding`.',
  example: { body: { ...body, content: '?' } },
})

/** Beyond the small ids that the generator prefers. */
const plainFile = 12
const finishedUpload = 11
const openUpload = 12

const notShared: Refusal = {
  message: /^id names a file that is not shared/,
  why: 'Whether a file is shared is not in the request.',
  example: { body: { id: plainFile } },
}

/** @param body a valid body without a host */
const siteHost = (body: object): Refusal => ({
  message: /^host (must be a full host name|is the zone )/,
  why: 'The Public Suffix List decides which hosts can be in a zone, IDNA which labels are valid.',
  example: { body: { ...body, host: 'com' } },
})

/** By operation id. */
const refusals: Readonly<Record<string, readonly Refusal[]>> = {
  'public.fx': [
    {
      message: /^(base|symbols) must be .*ISO 4217.*[ "][A-Za-z]{3}"( is not an ISO 4217 code)?\.$/,
      why: 'The currencies of ISO 4217 change, so the contract has only the form of the codes.',
      example: { query: { base: 'ABC' } },
    },
  ],
  'public.hash': [
    {
      message: /^value must have at most 8192 bytes/,
      why: 'JSON Schema counts characters; section 8 of the specification counts bytes.',
      example: { query: { value: 'ü'.repeat(8000) } },
    },
  ],
  'dns.zoneClaim': [
    {
      message: /^zone must (?!.*: it (has one label|is a URL)\.$)/,
      why: 'The Public Suffix List decides which names are an apex, IDNA which labels are valid.',
      example: { body: { zone: 'www.example.com' } },
    },
  ],
  'dns.recordCreate': [
    ...values,
    {
      message: /^priority is required for (MX|SRV)/,
      why: 'Required for two types only. Code generators handle a flat object better than conditions.',
      example: record({ type: 'MX', value: 'mail.example.net' }),
    },
  ],
  'dns.recordUpdate': [
    ...values,
    {
      message: /^type cannot be changed/,
      why: 'The type of the record is not in the request.',
      example: { body: { type: 'MX' } },
    },
  ],
  'files.upload': [fileName({ content: '' }), content({ name: 'a' })],
  'files.update': [fileName({ id: 1 })],
  'files.rename': [fileName({ id: 1 })],
  'files.uploadChunk': [
    content({ index: 0 }),
    {
      message: /^upload_id names a finished upload/,
      why: 'Whether an upload is finished is not in the request.',
      example: { body: { upload_id: finishedUpload, index: 0, content: '' } },
    },
  ],
  'files.uploadFinalize': [
    fileName({ upload_id: openUpload, parts: 1 }),
    {
      message: /^(parts is|sha256 is) /,
      why: 'The parts of the upload are not in the request.',
      example: { body: { upload_id: openUpload, name: 'a', parts: 9 } },
    },
  ],
  'sites.deploy': [
    {
      message: /^archive .*base64/,
      why: 'Many JSON Schema validators do not check `contentEncoding`.',
      example: { body: { name: 'a', archive: '?' } },
    },
    {
      message: /^archive(: entry| (is not a zip|has ))/,
      why: 'A schema cannot describe what is in a zip.',
      example: { body: { name: 'a', archive: 'aGVsbG8=' } },
    },
    {
      message: /^name content is reserved/,
      why: 'The reserved names depend on the hosts of the server.',
      example: { body: { name: 'content', archive: '' } },
    },
  ],
  'sites.domainAdd': [siteHost({ name: 'a' })],
  'sites.domainRemove': [siteHost({})],
  'cdn.config': [notShared],
  'cdn.purge': [notShared],
}

let scene: Scene
beforeAll(async () => {
  scene = await openScene('sqlite')
  await createFiles()
})
afterAll(() => scene.stop())

/** Files that are not shared, a finished upload and open ones: the examples of some refusals name them. */
async function createFiles(): Promise<void> {
  const token = await scene.token(scene.owner, 'files:write')
  const post = (path: string, body: object) => scene.call('POST', `/v1/files/${path}`, { token, body })
  for (let i = 0; i < plainFile; i++) await post('upload', { name: 'a', content: '' })
  for (let i = 0; i < openUpload; i++) await post('upload-chunk', { index: 0, content: 'aGVsbG8=' })
  await post('upload-finalize', { upload_id: finishedUpload, name: 'a', parts: 1 })
}

/** Each operation at one door: both doors have the same checks. */
const atOneDoor = entries.filter((entry, index) => entries.findIndex(({ op }) => op === entry.op) === index)

/** Calls with new credentials each time, because some operations end the session that calls them. */
const call = async (entry: Entry, input: Call): Promise<HttpAnswer> =>
  scene.send(entry, input, await scene.credentials(entry.door, scene.owner))

/** The message of a 400; undefined for other answers. */
const refusalOf = ({ status, body }: HttpAnswer) => (status === 400 ? String(body['message']) : undefined)

const isKnown = ({ op }: Entry, message: string) => (refusals[op.id] ?? []).some((known) => known.message.test(message))

const part = (schema: object | undefined) =>
  schema === undefined
    ? fc.constant(undefined)
    : (valid(schema) as fc.Arbitrary<Readonly<Record<string, unknown>> | undefined>)

describe.each(titled(atOneDoor))('%s', (_, entry) => {
  const { params, query, body } = entry.op

  it(
    'does not answer 400 to input that its schema allows',
    async () => {
      const existing = (await setUps[entry.op.id]?.works?.(scene))?.params
      const path = existing === undefined ? part(params) : fc.oneof(part(params), fc.constant(existing))
      await fc.assert(
        fc.asyncProperty(path, part(query), part(body), async (segments, fields, sent) => {
          const message = refusalOf(await call(entry, { params: segments, query: fields, body: sent }))
          expect(message === undefined || isKnown(entry, message), message).toBe(true)
        }),
        { seed, numRuns, endOnFailure: true },
      )
    },
    timeoutMs,
  )

  it.each((refusals[entry.op.id] ?? []).map((known) => [known.why, known] as const))(
    'still needs the exception: %s',
    async (_why, { message, example }) => {
      const works = await setUps[entry.op.id]?.works?.(scene)
      const input = { params: works?.params, ...example }
      expect(refusalOf(await call(entry, input)) ?? 'accepted').toMatch(message)
    },
  )
})

describe('a record with a valid combination of fields is not refused', () => {
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
