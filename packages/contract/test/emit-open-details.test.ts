import { format } from 'oxfmt'
import { describe, expect, it } from 'vitest'
import { consoleOperations, openDetails, openErrorCodes, openKey, operations, type Operation } from '../src/index.js'
import { samples } from './emit-samples.js'

const page = openDetails(operations)

/** The number of marks in a schema, counted in another way than the page does. */
const marksIn = (schema: unknown) => JSON.stringify(schema ?? null).split(`"${openKey}":`).length - 1

function placesOf(op: Operation, text: string): string[] {
  const start = `  - \`${op.method} ${op.path}\``
  const lines = text.split('\n').filter((line) => line === start || line.startsWith(`${start} `))
  return lines.flatMap((line) => (line === start ? ['the operation'] : (line.split(' → ')[1]?.split(', ') ?? [])))
}

describe('the whole contract', () => {
  it.each(operations.map((op) => [op.id, op] as const))('has every mark of %s', (_, op) => {
    const marks = [op.params, op.query, op.body, op.data].map(marksIn).reduce((sum, count) => sum + count, 0)
    const others = Object.keys(op.otherBodies ?? {}).length
    // Alternatives of `anyOf` share one path, so two marks on them would be one place; the contract has no such marks.
    expect(placesOf(op, page)).toHaveLength(marks + others + (op.open === undefined ? 0 : 1))
  })

  it('lists each choice once', () => {
    const reasons = page
      .slice(page.indexOf('### '))
      .split('\n')
      .filter((line) => line.startsWith('- '))
    expect(new Set(reasons).size).toBe(reasons.length)
  })

  it('has the error codes that are not in the specification', () => {
    for (const [code, why] of Object.entries(openErrorCodes)) expect(page).toContain(`- \`${code}\`: ${why}\n`)
  })

  it('is formatted like the repository and deterministic', async () => {
    expect(await format('open-details.md', page, { printWidth: 120 })).toEqual({ code: page, errors: [] })
    expect(openDetails(operations)).toBe(page)
  })

  it('includes operations of the console', () => {
    expect(openDetails([...operations, ...consoleOperations])).toContain('`POST /console/api/keys`')
  })
})

it('groups equal choices within an area and across areas', () => {
  const [list, rename, download] = samples
  const elsewhere = { ...list, id: 'others.list', path: '/v1/others' }
  const text = openDetails([list, rename, download, elsewhere])
  expect(text.slice(text.indexOf('### '))).toBe(`### Choices that several areas share

- Pages are ours.
  - \`GET /v1/things\` → \`query.limit\`
  - \`GET /v1/others\` → \`query.limit\`
- Ids are ours.
  - \`GET /v1/things\` → \`data.things[].id\`
  - \`PATCH /v1/things/{id}\` → \`data.thing.id\`
  - \`GET /v1/things/{id}\` → \`path.id\`
  - \`GET /v1/others\` → \`data.things[].id\`

## things

- Renaming is ours.
  - \`PATCH /v1/things/{id}\`
- Colours are ours.
  - \`PATCH /v1/things/{id}\` → \`body.colour\`
- Zipped.
  - \`PATCH /v1/things/{id}\` → \`body as application/zip\`
- As a form.
  - \`PATCH /v1/things/{id}\` → \`body as multipart/form-data\`
`)
})
