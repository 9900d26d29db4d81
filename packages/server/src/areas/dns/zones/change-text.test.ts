import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runAtOnce } from '../../../shared/time-slices.js'
import { changeSteps, contentOf, noSets, readSets, setPattern, type RecordContent } from './change-text.js'

const types = ['A', 'TXT', 'MX', 'SRV'] as const
const hosts = ['@', 'a', 'www', 'txt', '*.www']
const record = fc
  .record({
    type: fc.constantFrom(...types),
    host: fc.constantFrom(...hosts),
    // Text that looks like the stored form.
    value: fc.oneof(fc.constantFrom('["A",', '["www",["A",60', 'A', 'www', '"', '\\', ' '), fc.string()),
    ttl: fc.constantFrom(60, 300),
    priority: fc.constantFrom(0, 10),
  })
  .map((given): RecordContent => ({
    ...given,
    priority: given.type === 'MX' || given.type === 'SRV' ? given.priority : null,
  }))
const records = fc.array(record, { maxLength: 8 })

const contentsOf = (text: string, chars?: number) =>
  [...readSets(text, chars)].flat().flatMap((set) => set.values.map((value) => contentOf(set, value)))
const sorted = (some: readonly RecordContent[]) => [...new Set(some.map((one) => JSON.stringify(one)))].toSorted()

/** In the order of the fields of a read record. */
const plain = ({ host, type, ttl, value, priority }: RecordContent): RecordContent => ({
  ...{ host, type, ttl, value, priority },
})

it('stores the records that only one side has, and reads them back', () => {
  fc.assert(
    fc.property(records, records, (removed, added) => {
      const texts = runAtOnce(changeSteps(removed, added))
      const without = (some: readonly RecordContent[], others: readonly RecordContent[]) => {
        const left = new Set(sorted(others.map(plain)))
        return sorted(some.map(plain)).filter((one) => !left.has(one))
      }
      expect(sorted(contentsOf(texts.removed))).toEqual(without(removed, added))
      expect(sorted(contentsOf(texts.added))).toEqual(without(added, removed))
    }),
  )
})

it('reads a text in pieces, none of which ends inside a set', () => {
  const value = fc.constantFrom(']],[', ']],["', ']],["a', '["', '\\', ']],[\\', 'x')
  const long = fc.array(
    fc.tuple(record, value).map(([one, text]) => ({ ...one, value: text })),
    { maxLength: 20 },
  )
  fc.assert(
    fc.property(long, fc.integer({ min: 0, max: 40 }), (added, chars) => {
      const text = runAtOnce(changeSteps([], added)).added
      expect(contentsOf(text, chars)).toEqual(contentsOf(text))
      const sets = text === noSets ? 0 : (JSON.parse(text) as unknown[]).length
      if (chars === 0) expect([...readSets(text, chars)]).toHaveLength(sets)
    }),
  )
})

it('a pattern is in the text if, and only if, a set has the host and the type', () => {
  fc.assert(
    fc.property(records, (added) => {
      const text = runAtOnce(changeSteps([], added)).added
      for (const host of [undefined, ...hosts])
        for (const type of [undefined, ...types]) {
          if (host === undefined && type === undefined) continue
          const isSelected = (one: RecordContent) => (host ?? one.host) === one.host && (type ?? one.type) === one.type
          const pattern = setPattern({ ...(host !== undefined && { host }), ...(type !== undefined && { type }) })
          expect(text.includes(pattern), `${pattern} in ${text}`).toBe(added.some(isSelected))
        }
    }),
  )
})

it('a record that is removed and added again is left out, and one with another ttl is in both lists', () => {
  const www = contentOf({ host: 'www', type: 'A', ttl: 300 }, '192.0.2.1')
  expect(runAtOnce(changeSteps([www], [www]))).toEqual({ removed: noSets, added: noSets })
  const changed = runAtOnce(changeSteps([www], [{ ...www, ttl: 60 }]))
  expect(changed.removed).toBe('[["www",["A",300,"192.0.2.1"]]]')
  expect(changed.added).toBe('[["www",["A",60,"192.0.2.1"]]]')
})
