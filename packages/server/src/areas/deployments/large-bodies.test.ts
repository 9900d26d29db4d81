import { expect, it } from 'vitest'
import { largeAtOnce, largeBodies } from './large-bodies.js'

/** Requests whose bodies have arrived up to a length, and whose work ends when the test says so. */
function held(run: ReturnType<typeof largeBodies>) {
  const ends: (() => void)[] = []
  const begin = (ip: string, ...lengths: readonly number[]) => {
    const work = run(ip, async (onLength) => {
      for (const length of lengths) onLength(length)
      return new Promise<string>((resolve) => ends.push(() => resolve('done')))
    })
    // A test awaits the refusal later; until then, Node.js would report it as unhandled.
    work.catch(() => undefined)
    return work
  }
  return { begin, endAll: () => ends.splice(0).forEach((end) => end()) }
}

const large = 16_385
const refused = { status: 503, headers: { 'retry-after': '1' } }

it('503 for the seventeenth large body from one network, and not for those of others', async () => {
  const { begin, endAll } = held(largeBodies())
  const works = Array.from({ length: largeAtOnce.network }, (_, n) => begin(`192.0.2.${String(n)}`, 1, large, 100_000))
  await expect(begin('192.0.2.200', large)).rejects.toMatchObject(refused)
  works.push(begin('198.51.100.1', large), begin('192.0.2.200', 16_384), begin('192.0.2.200'))
  endAll()
  expect(new Set(await Promise.all(works))).toEqual(new Set(['done']))
  const again = begin('192.0.2.200', large)
  endAll()
  expect(await again).toBe('done')
})

it('503 beyond the limit of the process', async () => {
  const { begin, endAll } = held(largeBodies())
  const works = Array.from({ length: largeAtOnce.total }, (_, n) => begin(`10.0.${String(n)}.1`, large))
  await expect(begin('192.0.2.1', large)).rejects.toMatchObject(refused)
  endAll()
  await Promise.all(works)
  const again = begin('192.0.2.1', large)
  endAll()
  expect(await again).toBe('done')
})

it('work that fails makes room too', async () => {
  const run = largeBodies()
  const fail = (onLength: (bytes: number) => void) => {
    onLength(large)
    return Promise.reject(new Error('left'))
  }
  for (let n = 0; n <= largeAtOnce.network; n++) await expect(run('192.0.2.1', fail)).rejects.toThrow('left')
})
