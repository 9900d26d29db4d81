import { expect, it } from 'vitest'
import { pathIdIn } from './path-id.js'

it.each([
  ['41', 41],
  ['abc', undefined],
  ['', undefined],
  ['0', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['1e3', undefined],
  ['9999999999999999', undefined],
  [undefined, undefined],
])('the path %s has the id %s', (text, id) => {
  expect(pathIdIn(text)).toBe(id)
})
