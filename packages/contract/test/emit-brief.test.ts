import { describe, expect, it } from 'vitest'
import { brief, errorStatus, isEventStream, operations } from '../src/index.js'
import { samples } from './emit-samples.js'

const baseUrl = 'https://api.example.org'
const text = brief(operations, { baseUrl })

/** The lines of an endpoint: the first one, and the indented one after it. */
function linesOf(method: string, path: string): string {
  const lines = text.split('\n')
  const at = lines.findIndex((line) => line.startsWith(`${method} ${path} [`))
  const [first = '', second = ''] = at < 0 ? [] : lines.slice(at, at + 2)
  return second.startsWith('  ') ? `${first}\n${second}` : first
}

describe('the whole contract', () => {
  const shown = operations.filter((op) => !isEventStream(op) && op.forPeople !== true)
  it.each(shown.map((op) => [op.id, op] as const))('lists %s with all its parameters', (_, op) => {
    const lines = linesOf(op.method, op.path)
    expect(lines).toContain(op.summary)
    for (const schema of [op.query, op.body]) {
      // TypeBox leaves `required` out if no field is required.
      const { properties = {}, required = [] } = (schema ?? {}) as { properties?: object; required?: string[] }
      for (const name of Object.keys(properties)) {
        expect(lines).toContain(` ${name}${required.includes(name) ? ' ' : '? '}`)
      }
    }
  })

  it('leaves out streams of events, whose end a model would wait for', () => {
    expect(text).not.toContain('/v1/events')
  })

  it('leaves out what people set up, such as where the events of the account are sent', () => {
    expect(text).not.toMatch(/\/v1\/account\/(webhooks|notices)/)
  })

  it('names the base URL, the Authorization header, the form of errors and every code', () => {
    expect(text).toContain(`Base URL: ${baseUrl}\n`)
    expect(text).toContain('Authorization: Bearer')
    expect(text).toContain('"request_id"')
    for (const [code, status] of Object.entries(errorStatus)) expect(text).toContain(`${String(status)} ${code}`)
  })

  it('has less than 29,000 characters: about 7,300 tokens for the whole API', () => {
    expect(text.length).toBeLessThan(29_000)
    expect(text).not.toMatch(/\n\n\n/)
  })

  it('writes the types of a field that may be null', () => {
    expect(linesOf('POST', '/v1/deployments/update')).toContain(' target? string|null 0..2048 characters (')
  })

  it('names the fields of the objects in a list', () => {
    expect(linesOf('GET', '/v1/dns/zones')).toContain('-> zones[zone, status, verification, created_at]')
  })

  it('names the fields of the objects in an object, without their types', () => {
    expect(linesOf('POST', '/v1/dns/zones/{zone}/records/batch')).toContain(
      ' changes {create? {type, host?, value, ttl?, priority?} (Creates a record), ',
    )
  })

  it('is deterministic and ignores a trailing slash of the base URL', () => {
    expect(brief(operations, { baseUrl: `${baseUrl}/` })).toBe(text)
  })
})

it('has this text for three sample operations', () => {
  const small = brief(samples, { baseUrl: 'http://localhost:8080' })
  expect(small.slice(small.indexOf('Example:')))
    .toBe(String.raw`Example: curl -X PATCH http://localhost:8080/v1/things/1 -H "Authorization: Bearer $SVC_TOKEN" -H 'Content-Type: application/json' -d '{"name":"it'\''s"}'

## things
GET /v1/things [public] List things
  query: limit? integer 1..9=5 (Entries per page) -> things[id, name], tally
PATCH /v1/things/{id} [files:read|files:write] Rename a thing
  body: name string 0..8 characters (The new name), colour? red|blue, kind? "plain" -> thing
GET /v1/things/{id} [any token] Download a thing
  -> bytes
`)
})
