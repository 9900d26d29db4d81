import { expect, it } from 'vitest'
import { areas, openapi, openKey, type Operation } from '../src/index.js'

const { files, packages } = areas
const document = openapi([files.upload, files.uploadChunk, packages.publish])

function entryOf(op: Operation) {
  const entry = document.paths[op.path]?.['post']
  if (!entry) throw new Error(`${op.id} is not in the document`)
  return entry
}

it.each([files.upload, files.uploadChunk, packages.publish])(
  'only JSON has a schema, and comes first: generators of clients type the first, or send no type for several',
  (op) => {
    const content = Object.entries(entryOf(op).requestBody?.content ?? {})
    expect(content.map(([type, { schema }]) => [type, schema !== undefined])).toEqual([
      ['application/json', true],
      ...Object.keys(op.otherBodies).map((type) => [type, false]),
    ])
    for (const [type, why] of Object.entries(op.otherBodies))
      expect(entryOf(op).requestBody?.content[type]).toEqual({ [openKey]: why })
  },
)

it('has the fields beside raw bytes as optional parameters', () => {
  const entry = entryOf(files.uploadChunk)
  expect(entry.requestBody?.content['application/octet-stream']).toEqual({
    [openKey]: files.uploadChunk.otherBodies['application/octet-stream'],
  })
  expect(entry.parameters?.map(({ name, required, description }) => [name, required, description])).toEqual([
    [
      'upload_id',
      false,
      'Id of the upload, from the answer to the first part; leave it out in the first part. Only with application/octet-stream; optional there',
    ],
    ['index', false, 'Index of the part, from 0. Only with application/octet-stream; required there'],
    [
      'size',
      false,
      expect.stringMatching(/^Bytes of the whole file.+Only with application\/octet-stream; optional there$/),
    ],
  ])
})
