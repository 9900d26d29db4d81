import { expect, it } from 'vitest'
import { largeAtOnce, largeBodies } from './large-bodies.js'

const from = (ip: string, headers: Readonly<Record<string, string>>) => ({
  ip,
  header: (name: string) => headers[name],
})
const large = { 'content-length': '16385' }
const chunked = { 'transfer-encoding': 'chunked' }

/** Work that ends when the test says so. */
function held(run: ReturnType<typeof largeBodies>) {
  const ends: (() => void)[] = []
  const begin = (ip: string, headers: Readonly<Record<string, string>> = large) => {
    const work = run(from(ip, headers), () => new Promise<string>((resolve) => ends.push(() => resolve('done'))))
    work.catch(() => undefined)
    return work
  }
  return { begin, endAll: () => ends.splice(0).forEach((end) => end()) }
}

const refused = { status: 503, headers: { 'retry-after': '1' } }

it('503 for the seventeenth large body from one network, and not for those of others', async () => {
  const { begin, endAll } = held(largeBodies())
  const works = Array.from({ length: largeAtOnce.network }, (_, n) =>
    begin(`192.0.2.${String(n)}`, n % 2 ? large : chunked),
  )
  await expect(begin('192.0.2.200')).rejects.toMatchObject(refused)
  await expect(begin('192.0.2.200', chunked)).rejects.toMatchObject(refused)
  works.push(begin('198.51.100.1'), begin('192.0.2.200', { 'content-length': '16384' }), begin('192.0.2.200', {}))
  endAll()
  expect(new Set(await Promise.all(works))).toEqual(new Set(['done']))
  const again = begin('192.0.2.200')
  endAll()
  expect(await again).toBe('done')
})

it('503 beyond the limit of the process', async () => {
  const { begin, endAll } = held(largeBodies())
  const works = Array.from({ length: largeAtOnce.total }, (_, n) => begin(`10.0.${String(n)}.1`))
  await expect(begin('192.0.2.1')).rejects.toMatchObject(refused)
  endAll()
  await Promise.all(works)
  const again = begin('192.0.2.1')
  endAll()
  expect(await again).toBe('done')
})

it('work that fails makes room too', async () => {
  const run = largeBodies()
  for (let n = 0; n <= largeAtOnce.network; n++)
    await expect(run(from('192.0.2.1', large), () => Promise.reject(new Error('left')))).rejects.toThrow('left')
})
