import { describe, expect, it } from 'vitest'
import { random } from '../../../../e2e/hostile/random.js'
import { escapeJson, escapeLine, escapeLines } from './terminal.js'

const kinds: readonly (readonly [what: string, given: string, shown: string])[] = [
  ['ESC', '\u001b[2J', String.raw`\u{1b}[2J`],
  ['a C1 control', '\u009b2J', String.raw`\u{9b}2J`],
  ['DEL', 'a\u007fb', String.raw`a\u{7f}b`],
  ['a bare carriage return', 'a\rb', String.raw`a\u{d}b`],
  ['NUL, BEL and backspace', '\0\u0007\b', String.raw`\u{0}\u{7}\u{8}`],
  ['a bidi override', 'a\u202eb', String.raw`a\u{202e}b`],
  ['a bidi isolate', 'a\u2066b', String.raw`a\u{2066}b`],
  ['a zero width space and joiner', 'a\u200bb\u200d', String.raw`a\u{200b}b\u{200d}`],
  ['a byte order mark', '\ufeffa', String.raw`\u{feff}a`],
  ['a tag character beyond the first plane', '\u{e0041}', String.raw`\u{e0041}`],
  ['line and paragraph separator', 'a\u2028b\u2029', String.raw`a\u{2028}b\u{2029}`],
  ['half of a surrogate pair', 'a\ud800b', String.raw`a\u{d800}b`],
  ['text of any script', 'Grüße, 世界 🎉', 'Grüße, 世界 🎉'],
]

describe.each([
  ['escapeLine', escapeLine],
  ['escapeLines', escapeLines],
] as const)('%s', (_name, escape) => {
  it.each(kinds)('%s: shown without effect on the terminal', (_what, given, shown) => {
    expect(escape(given)).toBe(shown)
  })
})

it('escapeLines keeps line ends and tabs, escapeLine escapes them', () => {
  expect(escapeLines('a\tb\nc\r\nd')).toBe('a\tb\nc\r\nd')
  expect(escapeLine('a\tb\nc\r\nd')).toBe(String.raw`a\u{9}b\u{a}c\u{d}\u{a}d`)
})

it.each(kinds)('JSON with %s parses to the same value', (_what, given) => {
  const json = escapeJson(JSON.stringify({ [given]: [given] }, null, 2))
  expect(JSON.parse(json)).toEqual({ [given]: [given] })
  expect(json).toBe(escapeLines(json))
})

it('random text has no control or format characters after escaping', () => {
  const { integer } = random('terminal')
  for (let round = 0; round < 2000; round += 1) {
    const text = Array.from({ length: 20 }, () => String.fromCharCode(integer(0, 0xffff))).join('')
    const json = JSON.stringify(text)
    expect(JSON.parse(escapeJson(json))).toBe(text)
    for (const shown of [escapeLine(text), escapeJson(json)])
      expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
  }
})
