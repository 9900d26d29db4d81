import { expect, it } from 'vitest'
import { catalogue, operations } from '../src/index.js'
import { validator } from './emit-check.js'
import { samples } from './emit-samples.js'

it('lists the operations in their order, with their access', () => {
  expect(catalogue(samples)).toEqual([
    { id: 'things.list', method: 'GET', path: '/v1/things', access: 'public', summary: 'List things' },
    {
      id: 'things.rename',
      method: 'PATCH',
      path: '/v1/things/{id}',
      access: 'files:read|files:write',
      summary: 'Rename a thing',
    },
    { id: 'things.download', method: 'GET', path: '/v1/things/{id}', access: 'any token', summary: 'Download a thing' },
  ])
})

it('matches the schema of GET /v1', () => {
  const data = operations.find((op) => op.id === 'catalogue.show')?.data
  const endpoints = catalogue(operations)
  const documents = { documentation: '/reference', openapi: '/v1/openapi.json' }
  const answer = { version: '2.0.0', server_version: '1.0.0', ...documents, endpoints }
  expect(validator().validate(data as object, answer)).toBe(true)
  expect(validator().validate(data as object, { ...answer, endpoints: [{ id: 'x' }] })).toBe(false)
  expect(endpoints).toHaveLength(operations.length)
})
