import { beforeEach, expect, it } from 'vitest'
import { FollowedCache } from './followed-cache.js'

let changes: number
let cache: FollowedCache<string, string>
const follow = () => cache.job.run(new AbortController().signal)
const found = (value: string | undefined) => () => Promise.resolve(value)

beforeEach(async () => {
  changes = 0
  cache = new FollowedCache({
    job: { name: 'test.changes', failureMessage: 'changes could not be followed' },
    countChanges: () => Promise.resolve(changes),
    limits: { max: 2 },
  })
  await follow()
})

it('looks a value up once', async () => {
  expect(await cache.load('a', found('first'))).toBe('first')
  expect(await cache.load('a', found('second'))).toBe('first')
  expect(cache.get('a')).toBe('first')
})

it('does not keep that nothing was found', async () => {
  expect(await cache.load('a', found(undefined))).toBeUndefined()
  expect(await cache.load('a', found('later'))).toBe('later')
})

it('keeps a limited number of values', async () => {
  for (const key of ['a', 'b', 'c']) await cache.load(key, found(key))
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([undefined, 'b', 'c'])
})

it('drops all values after a change of another process, and keeps them without one', async () => {
  await cache.load('a', found('old'))
  await follow()
  expect(cache.get('a')).toBe('old')
  changes++
  await follow()
  expect(cache.get('a')).toBeUndefined()
})

it('drops values from before its first count of changes', async () => {
  const late = new FollowedCache<string, string>({
    job: { name: 'test.changes', failureMessage: 'changes could not be followed' },
    countChanges: () => Promise.resolve(7),
    limits: { max: 2 },
  })
  await late.load('a', found('old'))
  await late.job.run(new AbortController().signal)
  expect(late.get('a')).toBeUndefined()
})

it('looks a value up once for calls at the same time, and again after a failure', async () => {
  let lookUps = 0
  const lookUp = () => Promise.resolve(`look-up ${++lookUps}`)
  expect(await Promise.all([cache.load('a', lookUp), cache.load('a', lookUp)])).toEqual(['look-up 1', 'look-up 1'])
  const fail = () => Promise.reject(new Error('down'))
  const failed = await Promise.allSettled([cache.load('b', fail), cache.load('b', lookUp)])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await cache.load('b', lookUp)).toBe('look-up 2')
})

it('begins a new look-up after a change, and joins it', async () => {
  const answers: ((value: string) => void)[] = []
  const lookUp = () => new Promise<string>((resolve) => answers.push(resolve))
  const before = cache.load('a', lookUp)
  cache.clear()
  const after = cache.load('a', lookUp)
  answers[0]?.('old')
  expect(await before).toBe('old')
  const joined = cache.load('a', lookUp)
  answers[1]?.('new')
  expect([await after, await joined, answers.length]).toEqual(['new', 'new', 2])
})

it('does not keep the result of a look-up that began before a change', async () => {
  let answer: (value: string) => void = () => undefined
  const looking = cache.load('a', () => new Promise<string>((resolve) => (answer = resolve)))
  cache.clear()
  answer('old')
  expect(await looking).toBe('old')
  expect(cache.get('a')).toBeUndefined()
})
