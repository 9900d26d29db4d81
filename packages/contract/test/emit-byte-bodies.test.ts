import { expect, it } from 'vitest'
import { areas, openapi, openKey, type Operation } from '../src/index.js'

const { files, packages } = areas
const document = openapi([files.upload, files.uploadChunk, packages.publish])

function entryOf(op: Operation) {
  const entry = document.paths[op.path]?.['post']
  if (!entry) throw new Error(`${op.id} is not in the document`)
  return entry
}

it('has a form with a file part, whose name and type are defaults', () => {
  expect(entryOf(files.upload).requestBody?.content['multipart/form-data']).toEqual({
    schema: {
      ...entryOf(files.upload).requestBody?.content['application/json']?.schema,
      properties: {
        ...entryOf(files.upload).requestBody?.content['application/json']?.schema?.properties,
        content: {
          type: 'string',
          contentMediaType: 'application/octet-stream',
          description: 'The bytes, as a file part',
        },
      },
      required: ['content'],
    },
    [openKey]: files.upload.otherBodies['multipart/form-data'],
  })
})

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
  ])
})

it('has a form with a list of file parts, whose names are their own', () => {
  const schema = entryOf(packages.publish).requestBody?.content['multipart/form-data']?.schema
  expect(schema?.properties?.['artifacts']).toEqual({
    type: 'array',
    items: { type: 'string', contentMediaType: 'application/octet-stream' },
    description: 'The files, each as a file part with its name',
  })
  expect(schema?.required).toEqual(['slug', 'version', 'artifacts'])
})
