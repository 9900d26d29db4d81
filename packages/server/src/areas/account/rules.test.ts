import { ApiError } from '@svc/contract'
import { describe, expect, it } from 'vitest'
import { checkNickname } from './rules.js'

describe('checkNickname', () => {
  it.each([
    ['Ada', 'Ada'],
    ['', ''],
    ['  ', ''],
    ['\u00a0Ada\u3000\n', 'Ada'],
    ['a'.repeat(64), 'a'.repeat(64)],
    ['👩‍🚀'.repeat(21), '👩‍🚀'.repeat(21)],
    ['\u{1f980}'.repeat(64), '\u{1f980}'.repeat(64)],
    [' '.repeat(1000) + 'Ada', 'Ada'],
    ['العربية', 'العربية'],
  ])('keeps %j as %j', (given, kept) => {
    expect(checkNickname(given)).toBe(kept)
  })

  it.each([
    ['a'.repeat(65), 'value must have at most 64 characters, not 65.'],
    ['\u{1f980}'.repeat(65), 'value must have at most 64 characters, not 65.'],
    ['👩‍🚀'.repeat(22), 'value must have at most 64 characters, not 66.'],
    ...['\0', '\t', '\n', '\r', '\u001b', '\u007f', '\u0080', '\u009f', '\u2028', '\u2029'].map((character) => [
      `A${character}B`,
      'value must not contain control characters.',
    ]),
  ])('refuses %j', (given, message) => {
    expect(() => checkNickname(given)).toThrow(new ApiError('bad_request', message))
  })
})
