import fastify from 'fastify'
import { expect, it } from 'vitest'
import { AllowedMethods, pathIn } from './paths.js'

it.each([
  ['/a/b', '/a/b'],
  ['/a?b=/c', '/a'],
  ['http://example.com/a/b?c', '/a/b'],
  ['HTTPS://example.com:8443', '/'],
  ['http://example.com?a', '/'],
  ['*', '*'],
])('the path of the target %s is %s', (target, path) => {
  expect(pathIn(target)).toBe(path)
})

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

it('knows the paths of routes without parameters, also for methods that they lack', () => {
  const app = fastify()
  const allowed = new AllowedMethods(app)
  app.get('/things/:id', () => '')
  app.post('/things/upload', () => '')
  expect([allowed.hasPath('/things/upload?x=1'), allowed.of('/things/upload')]).toEqual([true, 'POST, OPTIONS'])
  expect(['/things/7', '/things/:id', '/things/:id/parts'].map((url) => allowed.hasPath(url))).toEqual([
    false,
    false,
    false,
  ])
})

it('has no methods for a path with an empty parameter; a wildcard may be empty', () => {
  const app = fastify()
  const allowed = new AllowedMethods(app)
  app.get('/things/:id', () => '')
  app.get('/things/:id/parts', () => '')
  app.get('/pages/*', () => '')
  expect(['/things/', '/things/?x=1', '/things//parts'].map((url) => allowed.of(url))).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect(allowed.of('/pages/')).toBe('GET, HEAD, OPTIONS')
})
