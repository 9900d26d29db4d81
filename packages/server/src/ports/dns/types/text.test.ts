import { expect, it } from 'vitest'
import { describeValues, valueOf } from '../../../../test/dns-values.js'
import { textMaxBytes } from './text.js'

const notStrings = (value: string) =>
  [
    value,
    'value begins with a quotation mark and must then be strings such as "one" "two", with \\" for a quotation mark ' +
      `and \\\\ for a backslash inside; ${JSON.stringify(value)} is not.`,
  ] as const
const notUtf8 = (value: string) =>
  [value, `value must be UTF-8 once its escapes are read, \\000 to \\255; ${JSON.stringify(value)} is not.`] as const
const control = (value: string) =>
  [value, `value must be a text on one line without control characters, not ${JSON.stringify(value)}.`] as const

const table = {
  kept: [
    'v=spf1 include:_spf.example.com ~all',
    'hello',
    ' leading and trailing ',
    'one  two   three',
    'said "hello" and left',
    'v=DKIM1; k=rsa; p=MIGfMA0',
    String.raw`back\slash \" \;`,
    'a\tb',
    'Grüße, 世界 🎉',
    '@',
    '.',
    "it's",
    'a'.repeat(256),
    'ü'.repeat(3000),
    'x'.repeat(textMaxBytes),
  ],
  read: [
    ['"hello"', 'hello'],
    ['"hello world"', 'hello world'],
    ['"one" "two"', 'onetwo'],
    ['"one""two"', 'onetwo'],
    ['"one"\n  "two"\t"three"', 'onetwothree'],
    ['"one" ', 'one'],
    ['"" "one" ""', 'one'],
    [String.raw`"say \"hi\""`, 'say "hi"'],
    [String.raw`"back\\slash"`, String.raw`back\slash`],
    [String.raw`"v=DKIM1\; k=rsa"`, 'v=DKIM1; k=rsa'],
    [String.raw`"\104\101llo"`, 'hello'],
    [String.raw`"Gr\195\188\195\159e"`, 'Grüße'],
    // A character that is split between two strings, as after 255 bytes.
    [String.raw`"Gr\195" "\188n"`, 'Grün'],
    [String.raw`"\ü\🎉"`, 'ü🎉'],
    [`"${'a'.repeat(255)}" "${'b'.repeat(45)}"`, 'a'.repeat(255) + 'b'.repeat(45)],
    [`"${'a'.repeat(300)}"`, 'a'.repeat(300)],
  ],
  refused: [
    ['', 'value must not be empty.'],
    ['""', 'value must not be an empty text.'],
    ['"" ""', 'value must not be an empty text.'],
    notStrings('"'),
    notStrings('"open'),
    notStrings('"one" two'),
    notStrings('"one" "two'),
    notStrings(String.raw`"escaped\"`),
    notStrings('"one"\u00a0"two"'),
    notStrings('"one"\u2028"two"'),
    notUtf8(String.raw`"\256"`),
    notUtf8(String.raw`"\1a"`),
    notUtf8(String.raw`"\25"`),
    notUtf8(String.raw`"\300"`),
    notUtf8(String.raw`"\999"`),
    notUtf8(String.raw`"ok\195\\"`),
    notUtf8(String.raw`"\255"`),
    [String.raw`"\"quoted\""`, 'value must be a text that does not begin with a quotation mark.'],
    control('two\nlines'),
    control('hello\r\n'),
    control('a\0b'),
    control('a\u007fb'),
    control('a\u0085b'),
    control('"a\nb"'),
    control(String.raw`"\000"`),
    ['\ud800', String.raw`value must be text in Unicode, not "\ud800".`],
    ['x'.repeat(textMaxBytes + 1), 'value must have at most 63738 bytes in UTF-8, not 63739.'],
    ['ü'.repeat(40_000), 'value must have at most 63738 bytes in UTF-8, not 80000.'],
  ],
} as const

describeValues('TXT', table)
describeValues('SPF', table)

it('accepts the longest spelling of the longest text', () => {
  expect(valueOf('TXT', `"${'\\065'.repeat(textMaxBytes)}"`)).toBe('A'.repeat(textMaxBytes))
})

it('rejects much too long values within a second', () => {
  const began = process.cpuUsage()
  for (const value of [`"${'\\"'.repeat(500_000)}"`, 'a'.repeat(1_000_000), `"${'\\065'.repeat(79_000)}"`])
    expect(() => valueOf('TXT', value)).toThrow('value must have at most')
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(1000)
})
