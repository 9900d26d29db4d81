import { describe, expect, it } from 'vitest'
import { areaReference, byArea, errorsOf, operations, referenceAnchor, toolNameOf } from '../src/index.js'
import { samples } from './emit-samples.js'

const baseUrl = 'https://api.example.org'
const groups = byArea(operations).map((group) => [group.area, group, areaReference(group, { baseUrl })] as const)

/** From the heading of an operation to the next one. */
const sectionOf = (text: string, heading: string) =>
  text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''

const withoutCode = (text: string) => text.replaceAll(/^```\w+\n[^]*?^```$/gm, '')

describe.each(groups)('the reference of %s', (_, { title, operations: members }, text) => {
  it('has one title and one heading for each operation', () => {
    const headings = [...withoutCode(text).matchAll(/^#+ .*$/gm)].map(([line]) => line)
    expect(headings).toEqual([`# ${title}`, ...members.map((op) => `## ${op.method} ${op.path}`)])
  })

  it('has unique anchors', () => {
    const anchors = members.map(referenceAnchor)
    expect(anchors).toEqual([...new Set(anchors)])
  })

  it('ends in one newline, without two empty lines in a row', () => {
    expect(text).toMatch(/[^\n]\n$/)
    expect(text).not.toMatch(/\n\n\n|undefined|\[object/)
  })

  it.each(members.map((op) => [op.id, op] as const))('has the parameters, errors and example of %s', (_id, op) => {
    const section = sectionOf(text, `${op.method} ${op.path}`)
    expect(section).toContain(op.summary)
    expect(section).toContain(`\`${toolNameOf(op)}\``)
    for (const code of errorsOf(op)) expect(section).toContain(`\`${code}\``)
    for (const schema of [op.params, op.query, op.body, op.data])
      for (const name of Object.keys(schema?.properties ?? {}))
        expect(section).toMatch(new RegExp(`^- \`${name}\` \\(`, 'm'))
    expect(section).toContain(`curl ${op.method === 'GET' ? '' : `-X ${op.method} `}`)
    for (const [json = ''] of section.matchAll(/(?<=^```json\n)[^]*?(?=^```$)/gm))
      expect(JSON.parse(json)).toMatchObject({ success: true, data: op.example.data })
  })
})

it('the reference has anchors like GitHub', () => {
  const op = operations.find(({ id }) => id === 'dns.recordUpdate')
  expect(op && referenceAnchor(op)).toBe('patch-v1dnszoneszonerecordsid')
})

it('the reference has this text for a sample operation', () => {
  const [group] = byArea(samples)
  const text = group === undefined ? '' : areaReference(group, { baseUrl: 'http://localhost:8080/' })
  expect(sectionOf(text, 'PATCH /v1/things/{id}')).toBe(String.raw`PATCH /v1/things/{id}

Rename a thing. At once.

- Name: ${'`'}things_rename${'`'}
- Access: Takes a token with ${'`'}files:read${'`'} or ${'`'}files:write${'`'}; ${'`'}*${'`'} is accepted too.
- Choice of this implementation: Renaming is ours.

Path:

- ${'`'}id${'`'} (string, required): Id of the thing.

Body:

- ${'`'}name${'`'} (string, at most 8 characters, required): The new name.
- ${'`'}colour${'`'} (one of ${'`'}"red"${'`'}, ${'`'}"blue"${'`'}, optional): Colours are ours.
- ${'`'}kind${'`'} (${'`'}"plain"${'`'}, optional)

${'`'}application/zip${'`'} is accepted as well. Zipped.

${'`'}multipart/form-data${'`'} is accepted as well. As a form.

${'`'}data${'`'} of the answer:

- ${'`'}thing${'`'} (object)
- ${'`'}thing.id${'`'} (integer, at least 1): Id of the thing.
- ${'`'}thing.name${'`'} (string): Name of the thing.

Errors:

- 400 ${'`'}bad_request${'`'}: A required field is missing, the body is malformed, or an input is invalid.
- 401 ${'`'}unauthorized${'`'}: The Bearer token is missing, invalid or revoked.
- 403 ${'`'}forbidden${'`'}: The resource belongs to another account.
- 403 ${'`'}forbidden_scope${'`'}: The token lacks the required scope.
- 404 ${'`'}not_found${'`'}: The resource does not exist.
- 500 ${'`'}internal_error${'`'}: The server failed; its log has the error under the same request_id.
- 502 ${'`'}upstream_error${'`'}: A service that the platform depends on failed.

Example:

${'```'}sh
curl -X PATCH http://localhost:8080/v1/things/1 -H "Authorization: Bearer $SVC_TOKEN" -H 'Content-Type: application/json' -d '{"name":"it'\''s"}'
${'```'}

Answer:

${'```'}json
{
  "success": true,
  "data": {
    "thing": {
      "id": 1,
      "name": "it's"
    }
  },
  "request_id": "req_0123456789abcdef"
}
${'```'}

`)
})
