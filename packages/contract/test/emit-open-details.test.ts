import { check } from 'prettier'
import { describe, expect, it } from 'vitest'
import { consoleOperations, openDetails, openErrorCodes, openKey, operations, type Operation } from '../src/index.js'
import { samples } from './emit-samples.js'

const page = openDetails(operations)

/** How often a schema is marked, counted without walking as the page does. */
const marksIn = (schema: unknown) => JSON.stringify(schema ?? null).split(`"${openKey}":`).length - 1

function placesOf(op: Operation, text: string): string[] {
  const start = `  - \`${op.method} ${op.path}\``
  const lines = text.split('\n').filter((line) => line === start || line.startsWith(`${start} `))
  return lines.flatMap((line) => (line === start ? ['the operation'] : (line.split(' → ')[1]?.split(', ') ?? [])))
}

describe('the whole contract', () => {
  it.each(operations.map((op) => [op.id, op] as const))('%s has every one of its marks', (_, op) => {
    const marks = [op.params, op.query, op.body, op.data].map(marksIn).reduce((sum, count) => sum + count, 0)
    const others = Object.keys(op.otherBodies ?? {}).length
    // A choice of schemas shares its path, so marks on two alternatives read as one place; the contract has none.
    expect(placesOf(op, page)).toHaveLength(marks + others + (op.open === undefined ? 0 : 1))
  })

  it('gives each reason once', () => {
    const reasons = page
      .slice(page.indexOf('### '))
      .split('\n')
      .filter((line) => line.startsWith('- '))
    expect(new Set(reasons).size).toBe(reasons.length)
  })

  it('has the codes that the table of errors lacks', () => {
    for (const [code, why] of Object.entries(openErrorCodes)) expect(page).toContain(`- \`${code}\`: ${why}\n`)
  })

  it('is formatted as the repository formats Markdown, and the same each time', async () => {
    expect(await check(page, { parser: 'markdown', printWidth: 120 })).toBe(true)
    expect(openDetails(operations)).toBe(page)
  })

  it('takes the operations of the console too', () => {
    expect(openDetails([...operations, ...consoleOperations])).toContain('`POST /console/api/keys`')
  })
})

it('groups what is alike, within an area and across areas', () => {
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
