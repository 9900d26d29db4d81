import { expect, it } from 'vitest'
import { statusMeaning, statusName } from './statuses.js'

it.each([
  ['client transfer prohibited', 'client transfer prohibited', /blocks transfers/],
  ['clientHold https://icann.org/epp#clientHold', 'clientHold', /out of DNS/],
  ['ok', 'ok', /Nothing is blocked/],
  ['constructor', 'constructor', undefined],
  ['', '', undefined],
])('explains %j', (status, name, meaning) => {
  expect(statusName(status)).toBe(name)
  if (meaning === undefined) expect(statusMeaning(status)).toBeUndefined()
  else expect(statusMeaning(status)).toMatch(meaning)
})
