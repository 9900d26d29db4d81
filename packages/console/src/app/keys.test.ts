import { expect, it } from 'vitest'
import { areaKeys, meaningOf, pageKeys } from './keys.js'

it.each([
  [['/'], { act: 'search' }],
  [['?'], { act: 'help' }],
  [['g'], 'unfinished'],
  [['g', 'd'], { path: 'dns' }],
  [['g', 'o'], { path: '' }],
  [['g', 'x'], undefined],
  [['N'], undefined],
  [['d'], undefined],
])('the keys %j do %j', (typed, meaning) => {
  expect(meaningOf(typed)).toEqual(meaning)
})

it('has different keys for everything', () => {
  const all = [...Object.values(pageKeys), ...areaKeys].map(({ keys }) => keys.join(' '))
  expect(all).toEqual([...new Set(all)])
  expect(areaKeys).toHaveLength(14)
})
