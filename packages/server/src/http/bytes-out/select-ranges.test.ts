import fc from 'fast-check'
import { expect, it } from 'vitest'
import { maxRanges, selectRanges } from './select-ranges.js'

it.each<[string, ReturnType<typeof selectRanges>]>([
  ['bytes=0-0', [{ first: 0, last: 0 }]],
  ['bytes=0-', [{ first: 0, last: 9 }]],
  ['Bytes = 2-5', [{ first: 2, last: 5 }]],
  ['bytes=2-99', [{ first: 2, last: 9 }]],
  [`bytes=2-${'9'.repeat(400)}`, [{ first: 2, last: 9 }]],
  ['bytes=-3', [{ first: 7, last: 9 }]],
  // A suffix that is longer than the content is all of it (RFC 9110, section 14.1.2).
  ['bytes=-99', [{ first: 0, last: 9 }]],
  [`bytes=-${'9'.repeat(400)}`, [{ first: 0, last: 9 }]],
  [
    'bytes=5-6,0-1',
    [
      { first: 5, last: 6 },
      { first: 0, last: 1 },
    ],
  ],
  [
    'bytes= 0-1 ,\t, -1,',
    [
      { first: 0, last: 1 },
      { first: 9, last: 9 },
    ],
  ],
  ['bytes=0-1,20-30', [{ first: 0, last: 1 }]],
  ['bytes=10-', 'none'],
  ['bytes=10-20,30-', 'none'],
  ['bytes=-0', 'none'],
  [`bytes=${'9'.repeat(400)}-`, 'none'],
  ['bytes=5-2', 'whole'],
  ['bytes=0-1,5-2', 'whole'],
  ['bytes=', 'whole'],
  ['bytes=-', 'whole'],
  ['bytes=a-b', 'whole'],
  ['bytes=1.5-2', 'whole'],
  ['bytes=0x1-2', 'whole'],
  ['bytes=--1', 'whole'],
  ['bytes=0-1;2-3', 'whole'],
  ['bytes', 'whole'],
  ['', 'whole'],
  ['lines=0-1', 'whole'],
  // Overlapping ranges must not multiply the content.
  ['bytes=0-,0-', 'whole'],
  ['bytes=0-5,4-9', 'whole'],
])('%s of ten bytes selects %j', (header, expected) => {
  expect(selectRanges(header, 10)).toEqual(expected)
})

it('takes a bounded number of ranges', () => {
  const header = (count: number) =>
    `bytes=${Array.from({ length: count }, (_, i) => `${String(i)}-${String(i)}`).join()}`
  expect(selectRanges(header(maxRanges), 1_000)).toHaveLength(maxRanges)
  expect(selectRanges(header(maxRanges + 1), 1_000)).toBe('whole')
})

it('sends all of an empty content', () => {
  for (const header of ['bytes=0-', 'bytes=-1', 'bytes=0-0']) expect(selectRanges(header, 0)).toBe('whole')
})

it('never selects more than the content, nor bytes outside of it', () => {
  const number = fc.option(fc.nat(30), { nil: '' })
  const spec = fc.tuple(number, number).map(([first, last]) => `${String(first)}-${String(last)}`)
  fc.assert(
    fc.property(fc.array(spec, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 20 }), (specs, size) => {
      const ranges = selectRanges(`bytes=${specs.join()}`, size)
      if (typeof ranges === 'string') return
      const bytes = ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0)
      expect(bytes).toBeLessThanOrEqual(size)
      for (const { first, last } of ranges) {
        expect(first).toBeGreaterThanOrEqual(0)
        expect(last).toBeGreaterThanOrEqual(first)
        expect(last).toBeLessThan(size)
      }
    }),
  )
})
