import { describe, expect, it } from 'vitest'
import {
  areas,
  errorStatus,
  errorsOf,
  additionKey,
  openKey,
  openapi,
  operations,
  requiredScopes,
  toolNameOf,
  type ErrorCode,
  type OpenApiDocument,
  type Operation,
} from '../src/index.js'
import { badExamples } from './emit-check.js'
import { sample, samples } from './emit-samples.js'

const document = openapi(operations)
const entryOf = (doc: OpenApiDocument, op: Operation) => {
  const entry = doc.paths[op.path]?.[op.method.toLowerCase()]
  if (!entry) throw new Error(`${op.id} is not in the document`)
  return entry
}

/** The response of a status, with its reference resolved. */
function responseOf(doc: OpenApiDocument, op: Operation, status: number | string) {
  const response = entryOf(doc, op).responses[String(status)]
  if (!response || !('$ref' in response)) return response
  return doc.components.responses[response.$ref.replace('#/components/responses/', '')]
}

/** The error codes that the schema of a response allows. */
function codesOf(doc: OpenApiDocument, op: Operation, status: number) {
  const schema = responseOf(doc, op, status)?.content?.['application/json']?.schema
  const refs = (schema?.oneOf ?? (schema ? [schema] : [])).map(({ $ref = '' }) =>
    $ref.replace('#/components/schemas/', ''),
  )
  return refs.map((name) => doc.components.schemas[name]?.properties?.['error']?.const)
}

/** Fields of the body that are in the query if the body is nothing but bytes. */
function besideBytes(op: Operation): string[] {
  const hasRawBody = Object.keys(op.otherBodies ?? {}).some((type) => type !== 'multipart/form-data')
  if (!op.bytes || !hasRawBody) return []
  return Object.keys(op.body?.properties ?? {}).filter((name) => name !== op.bytes?.field)
}

describe('the whole contract', () => {
  it('has every operation once, under its tool name', () => {
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((entry) => entry.operationId),
    )
    expect(ids.toSorted()).toEqual(operations.map(toolNameOf).toSorted())
    expect(new Set(ids).size).toBe(operations.length)
  })

  it('an addition changes nothing in how the other operations are described', () => {
    const specified = operations.filter((op) => !op.addition)
    const without = openapi(specified)
    for (const op of specified) expect(entryOf(document, op), op.id).toEqual(entryOf(without, op))
    for (const kind of ['responses', 'schemas'] as const)
      expect(document.components[kind]).toMatchObject(without.components[kind])
  })

  it.each(operations.map((op) => [op.id, op] as const))('%s declares exactly its error codes', (_, op) => {
    const statuses = [...new Set(errorsOf(op).map((code) => errorStatus[code]))]
    for (const status of statuses) {
      const expected = errorsOf(op).filter((code) => errorStatus[code] === status)
      expect(codesOf(document, op, status)).toEqual(expected)
    }
    const listed = Object.keys(entryOf(document, op).responses).filter((status) => status >= '400')
    expect(listed.map(Number)).toEqual(statuses.toSorted((a, b) => a - b))
  })

  it.each(operations.map((op) => [op.id, op] as const))('%s declares its scopes', (_, op) => {
    const { security, 'x-required-scopes': scopes, description } = entryOf(document, op)
    if (op.access === 'public') {
      expect([security, scopes]).toEqual([[], undefined])
      return
    }
    const accepted = requiredScopes(op)
    expect(scopes).toEqual(accepted)
    // Separate requirements are alternatives; the scopes within one requirement are all needed.
    expect(security).toEqual(op.access === 'token' ? [{ bearer: [] }] : accepted.map((scope) => ({ bearer: [scope] })))
    for (const scope of accepted) expect(description).toContain(`\`${scope}\``)
  })

  it('lists every parameter of every operation', () => {
    for (const op of operations) {
      const named = (entryOf(document, op).parameters ?? []).map((parameter) => `${parameter.in} ${parameter.name}`)
      const declared = [
        ...Object.keys(op.params?.properties ?? {}).map((name) => `path ${name}`),
        ...Object.keys(op.query?.properties ?? {}).map((name) => `query ${name}`),
        ...besideBytes(op).map((name) => `query ${name}`),
      ]
      expect(named, op.id).toEqual(declared)
    }
  })

  it('has every open detail of the contract, and X-Request-Id on every response', () => {
    const marks = (value: unknown): string[] =>
      typeof value !== 'object' || value === null
        ? []
        : Object.entries(value).flatMap(([key, inner]) => (key === openKey ? [String(inner)] : marks(inner)))
    const declared = operations.flatMap((op) => [
      ...(op.open === undefined ? [] : [op.open]),
      ...[op.params, op.query, op.body, op.data].flatMap((schema) => marks(JSON.parse(JSON.stringify(schema ?? null)))),
      ...Object.values(op.otherBodies ?? {}),
    ])
    expect([...new Set(declared)].filter((why) => !marks(document).includes(why))).toEqual([])
    for (const op of operations) {
      for (const status of Object.keys(entryOf(document, op).responses)) {
        expect(responseOf(document, op, status)?.headers, `${op.id} ${status}`).toHaveProperty('X-Request-Id')
      }
    }
  })

  it('has a tag with a description for every area', () => {
    expect(document.tags.map((tag) => tag.name)).toEqual(Object.keys(areas))
    expect(document.tags.filter((tag) => tag.description === '')).toEqual([])
  })

  it('has examples that are valid against their schemas', () => {
    expect(badExamples(document)).toEqual([])
  })

  it('has no dangling reference and no unused component', () => {
    const text = JSON.stringify(document)
    const used = new Set([...text.matchAll(/"\$ref":"#\/components\/(\w+\/\w+)"/g)].map((match) => match[1]))
    const { securitySchemes: _door, ...parts } = document.components
    const defined = Object.entries(parts).flatMap(([part, items]) =>
      Object.keys(items).map((name) => `${part}/${name}`),
    )
    expect(defined.toSorted()).toEqual([...used].toSorted())
  })

  it('is deterministic and plain JSON', () => {
    expect(JSON.stringify(openapi(operations))).toBe(JSON.stringify(document))
    expect(JSON.parse(JSON.stringify(document))).toEqual(document)
    expect(JSON.stringify(document)).not.toContain('"~')
  })
})

describe('one operation', () => {
  const small = openapi(samples, { serverUrl: 'https://api.example.org', title: 'Things' })

  it('has the given title and server, the version and the license', () => {
    expect(small).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Things', version: '2.0.0', license: { name: 'Apache-2.0' } },
      servers: [{ url: 'https://api.example.org' }],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    })
  })

  it('has the envelope in a JSON answer', () => {
    expect(responseOf(small, sample.rename, 200)?.content?.['application/json']).toEqual({
      schema: {
        type: 'object',
        properties: {
          success: { type: 'boolean', const: true },
          data: { type: 'object', required: ['thing'], properties: { thing: { $ref: '#/components/schemas/Thing' } } },
          request_id: { $ref: '#/components/schemas/RequestId' },
        },
        required: ['success', 'data', 'request_id'],
      },
      example: { success: true, data: { thing: { id: 1, name: "it's" } }, request_id: 'req_0123456789abcdef' },
    })
    expect(small.components.schemas['RequestId']?.pattern).toBe('^req_[0-9a-f]{16}$')
  })

  it('has bytes in a download, and the envelope in its errors', () => {
    expect(responseOf(small, sample.download, 200)?.content).toEqual({ 'application/octet-stream': {} })
    expect(codesOf(small, sample.download, 403)).toEqual(['forbidden_zone'])
  })

  it('has every declared media type of the body', () => {
    expect(entryOf(small, sample.rename).requestBody).toEqual({
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['name'],
            properties: {
              name: { type: 'string', maxLength: 8, description: 'The new name' },
              colour: { type: 'string', enum: ['red', 'blue'], [openKey]: 'Colours are ours.' },
              kind: { type: 'string', const: 'plain' },
            },
            additionalProperties: false,
          },
          example: { name: "it's" },
        },
        'application/zip': { [openKey]: 'Zipped.' },
        'multipart/form-data': { [openKey]: 'As a form.' },
      },
    })
    expect(entryOf(small, sample.rename).description).toBe(
      [
        'At once.',
        '`application/zip` is accepted as well. Zipped.',
        '`multipart/form-data` is accepted as well. As a form.',
        'Takes a token with `files:read` or `files:write`; `*` is accepted too.',
      ].join('\n\n'),
    )
  })

  it('has the marks of a parameter and of the operation', () => {
    expect(entryOf(small, sample.list).parameters).toEqual([
      {
        name: 'limit',
        in: 'query',
        required: false,
        description: 'Entries per page',
        [openKey]: 'Pages are ours.',
        schema: { type: 'integer', minimum: 1, maximum: 9, default: 5, [openKey]: 'Pages are ours.' },
        example: 2,
      },
    ])
    expect(entryOf(small, sample.rename)[openKey]).toBe('Renaming is ours.')
  })

  it('writes a record as additionalProperties, which code generators support', () => {
    const data = responseOf(small, sample.list, 200)?.content?.['application/json']?.schema?.properties?.['data']
    expect(data?.properties?.['tally']).toEqual({ type: 'object', additionalProperties: { type: 'number' } })
  })

  it('has the additional fields of bad_request, forbidden_scope and forbidden_zone', () => {
    const full = openapi([
      ...samples,
      { ...sample.rename, id: 'things.zone', path: '/v1/z/{id}', errors: ['forbidden_zone'] },
    ])
    const schemaOf = (name: string) => full.components.schemas[name]
    expect(schemaOf('ForbiddenScopeError')?.required).toEqual(
      expect.arrayContaining(['required_scopes', 'token_scopes']),
    )
    const { field, problem } = schemaOf('BadRequestError')?.properties ?? {}
    expect([field, problem]).toMatchObject([{ [additionKey]: true }, { [additionKey]: true }])
    expect(schemaOf('BadRequestError')?.required).not.toContain('field')
    expect(schemaOf('ForbiddenZoneError')?.properties).toHaveProperty('zone')
    expect(schemaOf('ForbiddenZoneError')?.required).not.toContain('zone')
    expect(schemaOf('ForbiddenError')?.[openKey]).toContain('section 1')
    expect(schemaOf('NotFoundError')?.properties).not.toHaveProperty('zone')
  })

  it('gives two different objects with one key different names', () => {
    const other = { ...sample.list.data.properties.things.items.properties, size: sample.list.data.properties.tally }
    const Other = { type: 'object', properties: other, required: ['id'] }
    const twice = (id: string, path: string) =>
      ({ ...sample.rename, id, path, data: { type: 'object', properties: { thing: Other } } }) as unknown as Operation
    const doc = openapi([...samples, twice('things.a', '/v1/a/{id}'), twice('things.b', '/v1/b/{id}')])
    const names = Object.keys(doc.components.schemas)
    expect(names).toContain('Thing')
    expect(names).toContain('ThingsADataThing')
  })

  it('the check finds an invalid example', () => {
    const wrong = {
      ...sample.rename,
      example: { ...sample.rename.example, data: { thing: { id: 'one', name: 'it' } } },
    }
    expect(badExamples(openapi([wrong]))).toEqual([expect.stringContaining('things_rename 200')])
  })
})

describe('the catalogue', () => {
  const named = (id: string) => {
    const op = operations.find((candidate) => candidate.id === id)
    if (!op) throw new Error(`${id} is not declared`)
    return op
  }

  it('redirects browsers', () => {
    expect(responseOf(document, named('catalogue.show'), 302)?.headers).toHaveProperty('Location')
  })

  it('has the brief as text and in the envelope', () => {
    const content = responseOf(document, named('catalogue.ai'), 200)?.content
    expect(Object.keys(content ?? {})).toEqual(['text/plain', 'application/json'])
    expect(content?.['application/json']?.schema?.properties).toHaveProperty('success')
    expect(content?.['text/plain']?.schema).toEqual({ type: 'string' })
  })

  it('has the OpenAPI document without an envelope', () => {
    expect(responseOf(document, named('catalogue.openapi'), 200)?.content).toEqual({
      'application/json': { schema: { type: 'object' } },
    })
  })
})

it('has a schema for each error code of the operations, and no other', () => {
  const codes = new Set<ErrorCode>(operations.flatMap(errorsOf))
  const emitted = Object.values(document.components.schemas).flatMap(
    (schema) => schema.properties?.['error']?.const ?? [],
  )
  expect(emitted.toSorted()).toEqual([...codes].toSorted())
})
