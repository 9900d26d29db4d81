import { describe, expect, it } from 'vitest'
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
  [{ rules: [{ name: 'a' }] }, { rules: [{ name: 'a' }] }, 'rules', true],
  [{ rules: [{ name: 'a' }] }, { rules: [{ name: 'b' }] }, 'rules', false],
  [{ files: [file] }, { files: [file] }, 'files', true],
  [{ files: [file] }, { files: [new File(['b'], 'a.zip')] }, 'files', false],
  [{ shortlink: { max_uses: 1 } }, { shortlink: { max_uses: 1 } }, 'shortlink.max_uses', true],
  [{ shortlink: { max_uses: 1 } }, { shortlink: { max_uses: null } }, 'shortlink.max_uses', false],
  [{ shortlink: { max_uses: 1 } }, {}, 'shortlink.max_uses', false],
  [undefined, { name: 'a' }, 'name', false],
])('%j and %j have the same %s: %s', (sent, now, field, same) => {
  expect(isSame(sent, now, field)).toBe(same)
})

const refusal = (field?: string, problem?: string) =>
  new SvcError(400, {
    success: false,
    error: 'bad_request',
    message: 'host is refused.',
    request_id: 'req_0123456789abcdef',
    ...(field !== undefined && { field }),
    ...(problem !== undefined && { problem }),
  })

describe('the problem of a field', () => {
  it.each([
    ['must not be empty.', 'Must not be empty.'],
    ['is required.', 'Is required.'],
    ['www already has records (A).', 'www already has records (A).'],
    ['wwwx already has records (A).', 'Wwwx already has records (A).'],
    ['@ is the zone.', '@ is the zone.'],
    [
      'must match ^[a-z]$ (Last part of the address: a to z (lower case)), not "A".',
      'Does not fit. Last part of the address: a to z (lower case).',
    ],
    [undefined, 'Host is refused.'],
  ])('%s is shown as %s', (problem, text) => {
    expect(problemOf(refusal('host', problem), ['host'], { host: 'www' })).toEqual({ field: 'host', text })
  })
})

describe('the field of a refusal', () => {
  const fields = ['scopes', 'artifacts', 'shortlink.max_uses', 'form']

  it.each([
    ['scopes', 'scopes'],
    ['scopes[1]', 'scopes'],
    ['artifacts[0].name', 'artifacts'],
    ['shortlink.max_uses', 'shortlink.max_uses'],
    ['form.origins[2]', 'form'],
  ])('%s is shown at %s', (field, shown) => {
    expect(problemOf(refusal(field, 'is refused.'), fields)?.field).toBe(shown)
  })

  it.each(['shortlink', 'slug', undefined])('%s is not shown at a field', (field) => {
    expect(problemOf(refusal(field, 'is refused.'), fields)).toBeUndefined()
  })
})

it('an error without an answer is not about a field', () => {
  expect(problemOf(new Error('host is refused.'), ['host'])).toBeUndefined()
})
