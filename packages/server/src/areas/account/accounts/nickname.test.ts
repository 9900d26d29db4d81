import { ApiError } from '@svc/contract'
import { describe, expect, it } from 'vitest'
import { checkNickname } from './nickname.js'

const notVisible = 'value must not contain control characters or invisible format characters.'

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
    ['می\u200cخواهم', 'می\u200cخواهم'],
  ])('keeps %j as %j', (given, kept) => {
    expect(checkNickname(given)).toBe(kept)
  })

  it.each([
    ['a'.repeat(65), 'value must have at most 64 characters, not 65.'],
    ['\u{1f980}'.repeat(65), 'value must have at most 64 characters, not 65.'],
    ['👩‍🚀'.repeat(22), 'value must have at most 64 characters, not 66.'],
    ...['\0', '\t', '\n', '\r', '\u001b', '\u007f', '\u0080', '\u009f', '\u2028', '\u2029'].map((character) => [
      `A${character}B`,
      notVisible,
    ]),
    ...['\u00ad', '\u061c', '\u200b', '\u200e', '\u200f', '\u2060', '\ufeff', '\u{e0041}'].map((character) => [
      `A${character}B`,
      notVisible,
    ]),
    // Bidi controls: embeddings, overrides, isolates (Unicode Standard Annex #9, section 2).
    ...['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069'].map((character) => [
      `A${character}B`,
      notVisible,
    ]),
  ])('400 bad_request for %j', (given, message) => {
    expect(() => checkNickname(given)).toThrow(new ApiError('bad_request', message))
  })
})
