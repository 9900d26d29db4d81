import { SvcError } from '@svc/client'
import { describe, expect, it } from 'vitest'
import { chunked, namesIn, nameProblems, withoutNames } from './domain-list.js'

it.each([
  ['', []],
  ['example.com', ['example.com']],
  ['Example.com, example.org;example.net\n\n example.com\t', ['example.com', 'example.org', 'example.net']],
])('finds the names in %j', (text, names) => {
  expect(namesIn(text)).toEqual(names)
})

describe('nameProblems', () => {
  const refusal = (message: string, error = 'bad_request') =>
    new SvcError(400, { success: false, error, message, request_id: 'req_1' })
  const sent = ['a.com', 'www.b.com', 'com']

  it('nameProblems has the message of each refused name', () => {
    const message = 'domains[1] must be an apex domain: b.com, not "www.b.com". domains[2] must have a dot, not "com".'
    expect(nameProblems(refusal(message), sent)).toEqual([
      { name: 'www.b.com', problem: 'Must be an apex domain: b.com, not "www.b.com".' },
      { name: 'com', problem: 'Must have a dot, not "com".' },
    ])
  })

  it('is empty for an error that is not about names', () => {
    expect(nameProblems(refusal('domains must have at most 10000 entries.'), sent)).toEqual([])
    expect(nameProblems(refusal('domains[1] is not there.', 'not_found'), sent)).toEqual([])
    expect(nameProblems(new Error('domains[1] must be'), sent)).toEqual([])
  })
})

it('leaves names out, one name a line', () => {
  expect(withoutNames('a.com, b.com c.com', new Set(['b.com']))).toBe('a.com\nc.com')
})

it('divides entries into parts', () => {
  expect(chunked([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]])
  expect(chunked([], 2)).toEqual([])
})
