import { expect, it } from 'vitest'
import { badRequest } from '../src/errors.js'

it.each([
  ['must be 60 to 2592000 seconds, not 5', 'ttl must be 60 to 2592000 seconds, not 5.'],
  ['must be 60 to 2592000 seconds, not 5.', 'ttl must be 60 to 2592000 seconds, not 5.'],
])('badRequest ends the message with one full stop: %s', (problem, message) => {
  expect(badRequest('ttl', problem)).toMatchObject({ code: 'bad_request', status: 400, message })
})
