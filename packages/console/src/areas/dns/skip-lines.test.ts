import { expect, it } from 'vitest'
import { skipLines } from './skip-lines.js'

const file = (...lines: string[]) => lines.join('\n')

it.each<[string, string, readonly number[], string]>([
  ['one line', file('a A x', 'b A 192.0.2.1'), [1], file('; a A x', 'b A 192.0.2.1')],
  [
    'all lines of a record in parentheses, with those in quotes and comments',
    file('a TXT ( "1)" ; )', '  "2\\")" )', 'b A 192.0.2.1'),
    [1],
    file('; a TXT ( "1)" ; )', ';   "2\\")" )', 'b A 192.0.2.1'),
  ],
  [
    'a record up to the line that cannot be read',
    file('a TXT (', '  "2', ')', 'b A 192.0.2.1'),
    [2, 3],
    file('; a TXT (', ';   "2', '; )', 'b A 192.0.2.1'),
  ],
  ['only the first line of a parenthesis that is not closed', file('a A (', 'b A x'), [1], file('; a A (', 'b A x')],
  [
    'a record, and gives its owner to the next one, over comments',
    file('a A x', '', ' ; note', '  A 192.0.2.1', '  A 192.0.2.2'),
    [1],
    file('; a A x', '', ' ; note', 'a  A 192.0.2.1', '  A 192.0.2.2'),
  ],
  [
    'records that share an owner',
    file('a A x', '  A y', '  A 192.0.2.1'),
    [1, 2],
    file('; a A x', ';   A y', 'a  A 192.0.2.1'),
  ],
  [
    'a record without an owner, and keeps that of the next one',
    file('a A 192.0.2.1', '  A y', '  A 192.0.2.3'),
    [2],
    file('a A 192.0.2.1', ';   A y', '  A 192.0.2.3'),
  ],
  [
    'records whose owner would be another one after $ORIGIN',
    file('a A x', '$ORIGIN b.example.', '  A 192.0.2.1', 'c A 192.0.2.2', '  A 192.0.2.3'),
    [1],
    file('; a A x', '$ORIGIN b.example.', ';   A 192.0.2.1', 'c A 192.0.2.2', '  A 192.0.2.3'),
  ],
  [
    'no $ORIGIN and no $TTL',
    file('$origin a..b', '$TTL x', '$INCLUDE y'),
    [1, 2, 3],
    file('$origin a..b', '$TTL x', '; $INCLUDE y'),
  ],
])('skips %s', (_what, text, lines, expected) => {
  expect(skipLines(text, new Set(lines))).toBe(expected)
})
