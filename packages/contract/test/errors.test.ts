import { expect, it } from 'vitest'
import { badRequest, fieldProblemOf } from '../src/errors.js'

it.each([
  ['must be 60 to 2592000 seconds, not 5', 'ttl must be 60 to 2592000 seconds, not 5.'],
  ['must be 60 to 2592000 seconds, not 5.', 'ttl must be 60 to 2592000 seconds, not 5.'],
])('badRequest ends the message with one full stop: %s', (problem, message) => {
  expect(badRequest('ttl', problem)).toMatchObject({ code: 'bad_request', status: 400, message })
})

it.each([
  ['ttl must be an integer.', 'ttl', 'must be an integer.'],
  ['scopes[1] must be one of "*".', 'scopes[1]', 'must be one of "*".'],
  ['scopes[0].name is required.', 'scopes[0].name', 'is required.'],
  ['host: ttl is no part of it.', undefined, ''],
  ['The zone has 5 records.', undefined, ''],
  ['ttls must be integers.', undefined, ''],
  ['ttl', undefined, ''],
  ['', undefined, ''],
])('fieldProblemOf(%j) is the field %s and %j', (message, field, problem) => {
  expect(fieldProblemOf(message, ['ttl', 'scopes', 'host'])).toEqual(field && { field, problem })
})

it('fieldProblemOf splits what badRequest joins', () => {
  const { about, message } = badRequest('ttl', 'must be at least 60, not 5')
  expect(fieldProblemOf(message, ['ttl'])).toEqual(about)
})
