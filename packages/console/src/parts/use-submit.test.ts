import { expect, it } from 'vitest'
import { SvcError } from '@svc/client'
import { isSame, problemOf } from './use-submit.js'

/** The message at a field disappears when the field changes. */

const file = new File(['a'], 'a.zip')

it.each([
  [{ name: 'a' }, { name: 'a' }, 'name', true],
  [{ name: 'a' }, { name: 'b' }, 'name', false],
  [{ name: 'a', ttl: 1 }, { name: 'a', ttl: 2 }, 'name', true],
  [{ scopes: ['a', 'b'] }, { scopes: ['a', 'b'] }, 'scopes', true],
  [{ scopes: ['a', 'b'] }, { scopes: ['a'] }, 'scopes', false],
  [{ files: [file] }, { files: [file] }, 'files', true],
  [{ files: [file] }, { files: [new File(['b'], 'a.zip')] }, 'files', false],
  [{ shortlink: { max_uses: 1 } }, { shortlink: { max_uses: 1 } }, 'shortlink.max_uses', true],
  [{ shortlink: { max_uses: 1 } }, { shortlink: { max_uses: null } }, 'shortlink.max_uses', false],
  [{ shortlink: { max_uses: 1 } }, {}, 'shortlink.max_uses', false],
  [undefined, { name: 'a' }, 'name', false],
])('%j and %j have the same %s: %s', (sent, now, field, same) => {
  expect(isSame(sent, now, field)).toBe(same)
})

const refusal = (message: string) =>
  new SvcError(400, { success: false, error: 'bad_request', message, request_id: 'req_0123456789abcdef' })

it.each([
  ['host must not be empty.', 'Must not be empty.'],
  ['host is required.', 'Is required.'],
  ['host www already has records (A).', 'Host www already has records (A).'],
  ['host @ is the zone.', 'Host @ is the zone.'],
  [
    'host must match ^[a-z]$ (Last part of the address: a to z (lower case)), not "A".',
    'Does not fit. Last part of the address: a to z (lower case).',
  ],
])('%s: %s', (message, text) => {
  expect(problemOf(refusal(message), ['host'])).toEqual({ field: 'host', text })
})
