import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { packRequestId, unpackRequestId } from './packed-request-id.js'

it('stores the id of a request in 11 characters, and reads it back', () => {
  for (const id of ['req_0000000000000000', 'req_ffffffffffffffff', `req_${randomBytes(8).toString('hex')}`]) {
    expect(packRequestId(id)).toHaveLength(11)
    expect(unpackRequestId(packRequestId(id))).toBe(id)
  }
})

it.each([null, '', 'req_', 'req_0123456789abcdeF', 'req_0123456789abcdef0'])('stores %j as it is', (id) => {
  expect(packRequestId(id)).toBe(id)
  expect(unpackRequestId(id)).toBe(id)
})

it('reads an id that was stored whole', () => {
  expect(unpackRequestId('req_0123456789abcdef')).toBe('req_0123456789abcdef')
})
