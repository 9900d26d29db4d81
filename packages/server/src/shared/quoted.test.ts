import { expect, it } from 'vitest'
import { quoted, shortened } from './quoted.js'

it.each([
  ['www', '"www"'],
  ['a"b\n\u001b', String.raw`"a\"b\n\u001b"`],
  ['x'.repeat(60), `"${'x'.repeat(60)}"`],
  ['x'.repeat(61), `"${'x'.repeat(60)}…"`],
])('%j is quoted on one line with at most 60 characters', (given, expected) => {
  expect(quoted(given)).toBe(expected)
})

it('the name of a field is shortened without quotes', () => {
  expect([shortened('name'), shortened('x'.repeat(99))]).toEqual(['name', `${'x'.repeat(60)}…`])
})
