import fastify from 'fastify'
import { expect, it } from 'vitest'
import { AllowedMethods } from './paths.js'

it('has the methods of every route, in the order of the routes', () => {
  const app = fastify()
  const allowed = new AllowedMethods(app)
  app.get('/things', () => '')
  app.post('/things', () => '')
  app.patch('/things/:id', () => '')
  app.delete('/things/:id', () => '')
  expect(allowed.of('/things?page=1')).toBe('GET, HEAD, POST, OPTIONS')
  expect(allowed.of('/things/7')).toBe('PATCH, DELETE, OPTIONS')
  expect(allowed.of('/things/7/parts')).toBeUndefined()
  expect(allowed.ofAll()).toBe('DELETE, GET, HEAD, OPTIONS, PATCH, POST')
})
