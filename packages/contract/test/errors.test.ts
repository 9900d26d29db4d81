import { expect, it } from 'vitest'
import { badRequest, badRequestSentence } from '../src/errors.js'

it.each([
  ['must be 60 to 2592000 seconds, not 5', 'ttl must be 60 to 2592000 seconds, not 5.'],
  ['must be 60 to 2592000 seconds, not 5.', 'ttl must be 60 to 2592000 seconds, not 5.'],
])('badRequest ends the message with one full stop: %s', (problem, message) => {
  expect(badRequest('ttl', problem)).toMatchObject({ code: 'bad_request', status: 400, message })
})

it('badRequestSentence has the whole message as the problem of the field', () => {
  const message = 'greeter has 3 versions, and may have 3.'
  const error = badRequestSentence('version', 'greeter has 3 versions, and may have 3')
  expect(error).toMatchObject({ code: 'bad_request', message, about: { field: 'version', problem: message } })
})
