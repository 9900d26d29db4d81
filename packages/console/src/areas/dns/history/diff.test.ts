import { describe, expect, it } from 'vitest'
import { countsOf, firstLines, isEmpty, replacement, setChanges, type HistorySet } from './diff.js'
import { countText } from './texts.js'

const set = (host: string, type: HistorySet['type'], ttl: number, ...values: string[]): HistorySet => ({
  host,
  type,
  ttl,
  values,
})

type Row = [title: string, removed: HistorySet[], added: HistorySet[], changes: object[], text: string]

const rows: Row[] = [
  ['nothing', [], [], [], ''],
  [
    'a new value',
    [],
    [set('www', 'A', 300, '192.0.2.1')],
    [{ host: 'www', type: 'A', ttlBefore: undefined, ttlAfter: 300, lines: ['added 192.0.2.1'] }],
    '1 value added',
  ],
  [
    'a removed value',
    [set('@', 'MX', 3600, '10 mail.example.net')],
    [],
    [{ host: '@', type: 'MX', ttlBefore: 3600, ttlAfter: undefined, lines: ['removed 10 mail.example.net'] }],
    '1 value removed',
  ],
  [
    'a replaced value as one change',
    [set('www', 'A', 300, '192.0.2.1')],
    [set('www', 'A', 300, '192.0.2.7')],
    [{ host: 'www', type: 'A', ttlBefore: 300, ttlAfter: 300, lines: ['removed 192.0.2.1', 'added 192.0.2.7'] }],
    '1 value replaced',
  ],
  [
    'another ttl of two values as one change',
    [set('www', 'A', 300, '192.0.2.1', '192.0.2.2')],
    [set('www', 'A', 60, '192.0.2.1', '192.0.2.2')],
    [{ host: 'www', type: 'A', ttlBefore: 300, ttlAfter: 60, lines: ['kept 192.0.2.1', 'kept 192.0.2.2'] }],
    '2 TTLs changed',
  ],
  [
    'a new value that gave the others its ttl',
    [set('www', 'A', 300, '192.0.2.1')],
    [set('www', 'A', 60, '192.0.2.1', '192.0.2.2')],
    [{ host: 'www', type: 'A', ttlBefore: 300, ttlAfter: 60, lines: ['kept 192.0.2.1', 'added 192.0.2.2'] }],
    '1 value added, 1 TTL changed',
  ],
  [
    'two values replaced by one, which are no pair',
    [set('www', 'A', 300, '192.0.2.1', '192.0.2.2')],
    [set('www', 'A', 300, '192.0.2.7')],
    [
      {
        host: 'www',
        type: 'A',
        ttlBefore: 300,
        ttlAfter: 300,
        lines: ['removed 192.0.2.1', 'removed 192.0.2.2', 'added 192.0.2.7'],
      },
    ],
    '1 value added, 2 values removed',
  ],
  [
    'another type at the same host as two changes',
    [set('www', 'A', 300, '192.0.2.1')],
    [set('www', 'CNAME', 300, 'www.example.net')],
    [
      { host: 'www', type: 'A', ttlBefore: 300, ttlAfter: undefined, lines: ['removed 192.0.2.1'] },
      { host: 'www', type: 'CNAME', ttlBefore: undefined, ttlAfter: 300, lines: ['added www.example.net'] },
    ],
    '1 value added, 1 value removed',
  ],
  [
    'sets of one host and type together',
    [],
    [set('www', 'A', 300, '192.0.2.1'), set('a', 'A', 300, '192.0.2.1'), set('www', 'A', 300, '192.0.2.2')],
    [
      { host: 'www', type: 'A', ttlBefore: undefined, ttlAfter: 300, lines: ['added 192.0.2.1', 'added 192.0.2.2'] },
      { host: 'a', type: 'A', ttlBefore: undefined, ttlAfter: 300, lines: ['added 192.0.2.1'] },
    ],
    '3 values added',
  ],
]

describe('a difference', () => {
  it.each(rows)('shows %s', (_title, removed, added, changes, text) => {
    const found = setChanges({ removed, added })
    expect(
      found.map((change) => ({ ...change, lines: change.lines.map(({ kind, value }) => `${kind} ${value}`) })),
    ).toEqual(changes)
    expect(countText(countsOf(found))).toBe(text)
    expect(isEmpty({ removed, added })).toBe(changes.length === 0)
  })

  it('names the two values of a replacement, also beside values that got another ttl', () => {
    const [change] = setChanges({
      removed: [set('www', 'A', 300, '192.0.2.1', '192.0.2.2')],
      added: [set('www', 'A', 60, '192.0.2.1', '192.0.2.7')],
    })
    expect(change && replacement(change)).toEqual({ before: '192.0.2.2', after: '192.0.2.7' })
    expect(change && countText(countsOf([change]))).toBe('1 value replaced, 1 TTL changed')
  })
})

describe('the first lines of a long difference', () => {
  const changes = setChanges({
    removed: [],
    added: [set('a', 'A', 300, '192.0.2.1', '192.0.2.2', '192.0.2.3'), set('b', 'A', 300, '192.0.2.4', '192.0.2.5')],
  })
  it.each([
    [1, ['a 1'], 4],
    [3, ['a 3'], 2],
    [4, ['a 3', 'b 1'], 1],
    [5, ['a 3', 'b 2'], 0],
    [9, ['a 3', 'b 2'], 0],
  ])('are %d, and the others are counted', (max, lengths, hidden) => {
    const first = firstLines(changes, max)
    expect(first.shown.map(({ host, lines }) => `${host} ${String(lines.length)}`)).toEqual(lengths)
    expect(first.hidden).toBe(hidden)
  })
})
