import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { addRecent, forgetRecent, readRecent } from './recent.js'

/** What was opened with the palette, in a storage of the test. */

const ada = 'ada@example.com'
const key = `svc-recent:${ada}`
const entry = (name: string) => ({ label: name, detail: 'Site', path: `sites/${name}` })

let storage: Record<string, unknown>
beforeEach(() => {
  storage = Object.create({
    getItem: (name: string) => storage[name] ?? null,
    setItem: (name: string, value: string) => void (storage[name] = value),
    removeItem: (name: string) => void Reflect.deleteProperty(storage, name),
  }) as Record<string, unknown>
  vi.stubGlobal('localStorage', storage)
})
afterEach(() => vi.unstubAllGlobals())

it('keeps the last six, each once, the newest first, apart for each account', () => {
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'c']) addRecent(ada, entry(name))
  addRecent('bob@example.com', entry('of-bob'))
  expect(readRecent(ada).map(({ label }) => label)).toEqual(['c', 'g', 'f', 'e', 'd', 'b'])
  expect(readRecent('bob@example.com')).toEqual([entry('of-bob')])
  forgetRecent()
  expect([readRecent(ada), readRecent('bob@example.com')]).toEqual([[], []])
})

it.each([
  ['is not JSON', '{'],
  ['is not a list', '{"label":"a"}'],
  ['has other values', '[1,null,"a",[],{"label":1,"detail":"","path":"a"},{"label":"","detail":"","path":"a"}]'],
  [
    'has a path of another server',
    '[{"label":"a","detail":"","path":"//evil.example"},{"label":"a","detail":"","path":"https://evil.example"}]',
  ],
  ['has long texts', JSON.stringify([{ ...entry('a'), label: 'a'.repeat(301) }])],
])('has no entries if what is stored %s', (_, text) => {
  storage[key] = text
  expect(readRecent(ada)).toEqual([])
})

it('reads at most six entries', () => {
  storage[key] = JSON.stringify(Array.from({ length: 1_000 }, (_, n) => entry(String(n))))
  expect(readRecent(ada)).toHaveLength(6)
})

it('keeps no entry that is too long, and works without a storage that takes entries', () => {
  addRecent(ada, entry('a'.repeat(301)))
  expect(readRecent(ada)).toEqual([])
  vi.stubGlobal('localStorage', {
    getItem: () => null,
    setItem: () => {
      throw new Error('full')
    },
  })
  expect(() => addRecent(ada, entry('a'))).not.toThrow()
})
