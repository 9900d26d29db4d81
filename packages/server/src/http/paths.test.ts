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

it('knows paths that lack a method, for which the router would match a parameter of another path', () => {
  const app = fastify()
  const allowed = new AllowedMethods(app)
  app.get('/things/:id', () => '')
  app.post('/things/upload', () => '')
  app.post('/things/:id/parts/batch', () => '')
  app.get('/things/:id/parts/:part', () => '')
  app.get('/things/:id/parts', () => '')
  const isOnlyForOthers = (method: string, ...urls: string[]) => urls.map((url) => allowed.isOnlyForOthers(method, url))
  expect(isOnlyForOthers('GET', '/things/upload?x=1', '/things/7/parts/batch?x=1')).toEqual([true, true])
  expect(isOnlyForOthers('POST', '/things/7/parts/batch')).toEqual([false])
  expect(isOnlyForOthers('GET', '/things/7', '/things/:id', '/things/batch', '/things/7/parts/8')).toEqual([
    false,
    false,
    false,
    false,
  ])
  expect(allowed.of('/things/upload')).toBe('POST, OPTIONS')
  expect(allowed.of('/things/7/parts/batch')).toBe('POST, OPTIONS')
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
