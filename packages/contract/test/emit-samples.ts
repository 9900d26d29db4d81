import { Type } from 'typebox'
import { open, operation, type Operation } from '../src/index.js'

/** Three small operations that together use every feature of the emitters. */

const Thing = Type.Object({
  id: Type.Integer(open('Ids are ours.', { minimum: 1, description: 'Id of the thing' })),
  name: Type.String({ description: 'Name of the thing' }),
})

const list = operation({
  id: 'things.list',
  method: 'GET',
  path: '/v1/things',
  access: 'public',
  summary: 'List things',
  query: Type.Object({
    limit: Type.Optional(
      Type.Integer(open('Pages are ours.', { minimum: 1, maximum: 9, default: 5, description: 'Entries per page' })),
    ),
  }),
  data: Type.Object({ things: Type.Array(Thing), tally: Type.Record(Type.String(), Type.Number()) }),
  example: { query: { limit: 2 }, data: { things: [{ id: 1, name: 'one' }], tally: { one: 1 } } },
})

const rename = operation({
  id: 'things.rename',
  method: 'PATCH',
  path: '/v1/things/{id}',
  access: { anyOf: ['files:read'] },
  summary: 'Rename a thing',
  description: 'At once.',
  open: 'Renaming is ours.',
  params: Type.Object({ id: Type.String({ description: 'Id of the thing' }) }),
  body: Type.Object(
    {
      name: Type.String({ maxLength: 8, description: 'The new name' }),
      colour: Type.Optional(Type.Union([Type.Literal('red'), Type.Literal('blue')], open('Colours are ours.'))),
      kind: Type.Optional(Type.Literal('plain')),
    },
    { additionalProperties: false },
  ),
  otherBodies: { 'application/zip': 'Zipped.', 'multipart/form-data': 'As a form.' },
  data: Type.Object({ thing: Thing }),
  errors: ['forbidden', 'not_found', 'upstream_error'],
  example: { params: { id: '1' }, body: { name: "it's" }, data: { thing: { id: 1, name: "it's" } } },
})

const download = operation({
  id: 'things.download',
  method: 'GET',
  path: '/v1/things/{id}',
  access: 'token',
  kind: 'stream',
  summary: 'Download a thing',
  params: Type.Object({ id: Type.String(open('Ids are ours.', { description: 'Id of the thing' })) }),
  produces: ['application/octet-stream'],
  errors: ['forbidden_zone'],
  example: { params: { id: '1' } },
})

export const samples = [list, rename, download] as const satisfies readonly Operation[]
export const sample = { list, rename, download } as const
