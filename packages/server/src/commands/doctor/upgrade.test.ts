import { expect, it } from 'vitest'
import { compareMigrations } from './upgrade.js'

const known = ['0001-first', '0002-table.additive', '0003-change']

it.each<[string, string[], string[], boolean, RegExp]>([
  ['the same migrations', known, known, true, /as they are\. Going back keeps all writes/],
  ['a pending addition', ['0001-first'], known.slice(0, 2), true, /adds \(0002-table\.additive\)/],
  ['a pending change', known.slice(0, 2), known, false, /changes tables \(0003-change\).*Make a backup first/],
  ['a pending addition and change', ['0001-first'], known, false, /changes tables \(0003-change\)/],
  ['an addition of a newer version', known.slice(0, 2), ['0001-first'], true, /adds \(0002-table\.additive\)/],
  ['a change of a newer version', known, known.slice(0, 2), false, /newer version \(0003-change\): restore the backup/],
])('%s of the database decides whether going back keeps all writes', (_, applied, own, keepsWrites, text) => {
  const check = compareMigrations(applied, own)
  expect(check.keepsWrites).toBe(keepsWrites)
  expect(check.text).toMatch(text)
})

it('lists what the first start applies, and what only a newer version has', () => {
  expect(compareMigrations(['0001-first', '0009-later'], known)).toMatchObject({
    pending: ['0002-table.additive', '0003-change'],
    unknown: ['0009-later'],
  })
})
