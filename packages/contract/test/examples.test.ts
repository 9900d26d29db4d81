import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { operations } from '../src/areas/index.js'
import { consoleOperations } from '../src/console/index.js'
import { additionKey, openKey, ruleKey, type Operation } from '../src/operation.js'

const ajv = new Ajv({ strict: true, strictTypes: false, keywords: [additionKey, openKey, ruleKey], allErrors: true })
formats.default(ajv)

/** The validation errors of a value; empty if it is valid. */
function problems(schema: object, value: unknown): string {
  const validate = ajv.compile(schema)
  return validate(value) ? '' : ajv.errorsText(validate.errors)
}

const parts = ['params', 'query', 'body', 'data'] as const
const every: readonly Operation[] = [...operations, ...consoleOperations]

describe('examples', () => {
  it.each(every.map((op) => [op.id, op] as const))('the example of %s is valid', (_, op) => {
    for (const part of parts) {
      const schema = op[part]
      const example = op.example[part]
      if (schema === undefined) expect(example, `${part} is not declared`).toBeUndefined()
      else expect(problems(schema, example ?? (part === 'query' ? {} : undefined)), part).toBe('')
    }
  })

  it.each(every.filter((op) => op.data).map((op) => [op.id, op] as const))('%s has only declared fields', (_, op) => {
    expect(Object.keys(op.data?.properties ?? {})).toEqual(expect.arrayContaining(Object.keys(op.example.data ?? {})))
  })

  it.each(every.map((op) => [op.id, op] as const))('%s declares data if it answers in the envelope', (_, op) => {
    if (op.kind === 'json') expect(op.data).toBeDefined()
    else expect(op.produces).toBeDefined()
    if (op.kind === 'stream') expect(op.data).toBeUndefined()
  })
})

describe('the schema of a body', () => {
  const body = (id: string) => {
    const op = operations.find((candidate) => candidate.id === id)
    if (op?.body === undefined) throw new Error(`${id} has no body`)
    return { schema: op.body, example: op.example.body }
  }

  it.each([
    ['dns.recordCreate', { ttl: 59 }],
    ['dns.recordCreate', { ttl: 2592001 }],
    ['dns.recordCreate', { ttl: '3600' }],
    ['dns.recordCreate', { ttl: null }],
    ['dns.recordCreate', { type: 'ANY' }],
    ['dns.recordCreate', { value: '' }],
    ['dns.recordCreate', { priority: 70000 }],
    ['dns.recordUpdate', { ttl: 59 }],
    ['dns.recordUpdate', { ttl: 2592001 }],
    ['dns.recordUpdate', { tttl: 300 }],
    ['account.profileUpdate', { field: 'email' }],
    ['account.sessionRevoke', { id: '3' }],
    ['files.rename', { name: 'a/b' }],
    ['files.rename', { name: 'a\\b' }],
    ['files.rename', { name: 'a\nb' }],
    ['files.rename', { name: '' }],
    ['files.upload', { media_type: 'text' }],
    ['files.upload', { media_type: 'text/plain\r\nx-injected: 1' }],
    ['files.uploadChunk', { index: -1 }],
    ['files.uploadFinalize', { parts: 0 }],
    ['files.uploadFinalize', { sha256: 'abc' }],
    ['cdn.config', { edge_ttl: 31_536_001 }],
    ['sites.deploy', { name: 'Docs' }],
    ['sites.deploy', { name: '-docs' }],
    ['sites.deploy', { name: 'a.b' }],
    ['packages.publish', { version: '1.0' }],
    ['packages.publish', { version: 'v1.0.0' }],
    ['packages.publish', { version: '01.0.0' }],
    ['packages.publish', { slug: '../x' }],
    ['packages.publish', { artifacts: [] }],
    ['packages.publish', { artifacts: [{ name: '..', content: '' }] }],
    ['packages.publish', { artifacts: [{ name: 'a/b', content: '' }] }],
  ])('%s rejects %j', (id, change) => {
    const { schema, example } = body(id)
    expect(problems(schema, { ...example, ...change })).not.toBe('')
  })

  it.each([
    ['dns.recordCreate', { ttl: 60 }],
    ['dns.recordCreate', { ttl: 2592000 }],
    ['dns.recordCreate', { host: '' }],
    ['files.rename', { name: 'Übersicht 2026 (final).pdf' }],
    ['files.upload', { media_type: 'text/html; charset=utf-8' }],
    ['files.upload', { media_type: 'application/vnd.oasis.opendocument.text' }],
    ['sites.deploy', { name: 'x' }],
    ['packages.publish', { version: '1.0.0-rc.1+build.5' }],
  ])('%s accepts %j', (id, change) => {
    const { schema, example } = body(id)
    expect(problems(schema, { ...example, ...change })).toBe('')
  })
})
