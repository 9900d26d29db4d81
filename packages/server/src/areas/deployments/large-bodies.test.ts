import { expect, it } from 'vitest'
import type { BodyWatch } from '../../http/area.js'
import { largeAtOnce, largeBodies } from './large-bodies.js'

/** Requests whose bodies arrive and end when the test says so. */
function scene() {
  let time = 0
  const run = largeBodies(() => time)
  function begin(ip: string, [deploymentId, accountId] = [1, 1]) {
    let watch: BodyWatch | undefined
    let end: () => void = () => undefined
    const done = run({ ip, deploymentId, accountId }, async (read) => {
      await read((given) => {
        watch = given
        return new Promise<void>((resolve, reject) => {
          end = resolve
          given.signal.addEventListener('abort', () => reject(given.signal.reason as Error))
        })
      })
      return 'done'
    })
    // A test awaits the refusal later; until then, Node.js would report it as unhandled.
    done.catch(() => undefined)
    const arrive = (bytes = large) => watch?.onLength(bytes)
    return { done, arrive, end: () => end() }
  }
  /** A request that has sent a large body, as fast as all others. */
  const arrived = (...given: Parameters<typeof begin>) => {
    const request = begin(...given)
    request.arrive()
    return request
  }
  return { run, begin, arrived, pass: (ms: number) => (time += ms) }
}

const large = 16_385
const refused = { status: 503, headers: { 'retry-after': '1' } }

it.each<[string, number, (n: number) => Parameters<ReturnType<typeof scene>['begin']>]>([
  ['from one network', largeAtOnce.network, (n) => [`192.0.2.${String(n)}`, [n, n]]],
  ['to one deployment', largeAtOnce.deployment, (n) => [`10.0.${String(n)}.1`, [1, n]]],
  ['to the deployments of one account', largeAtOnce.account, (n) => [`10.0.${String(n)}.1`, [n, 1]]],
  ['in all', largeAtOnce.total, (n) => [`10.0.${String(n)}.1`, [n, n]]],
])('503 beyond the most large bodies %s, and not for small ones', async (_, max, sender) => {
  const { begin, arrived } = scene()
  const requests = Array.from({ length: max }, (_, n) => arrived(...sender(n)))
  const beyond = begin(...sender(max))
  expect(() => beyond.arrive()).toThrow(expect.objectContaining(refused))
  const small = begin(...sender(max + 1))
  small.arrive(16_384)
  for (const { end } of [...requests, small]) end()
  for (const { done } of [...requests, small]) expect(await done).toBe('done')
  const again = arrived(...sender(max))
  again.end()
  expect(await again.done).toBe('done')
})

it('other deployments, accounts and networks have their own share', () => {
  const { arrived } = scene()
  for (let n = 0; n < largeAtOnce.deployment; n++) arrived(`10.0.${String(n)}.1`)
  for (let n = 0; n < largeAtOnce.account - largeAtOnce.deployment; n++) arrived(`10.1.${String(n)}.1`, [2, 1])
  expect(() => arrived('192.0.2.1', [2, 1])).toThrow('Too many')
  expect(() => arrived('192.0.2.1', [3, 2])).not.toThrow()
})

it('the slowest gives way to a faster one', async () => {
  const { begin, arrived, pass } = scene()
  const slow = arrived('10.1.1.1')
  pass(1000)
  const others = Array.from({ length: largeAtOnce.deployment - 1 }, (_, n) => arrived(`10.0.${String(n)}.1`))
  const fast = arrived('192.0.2.1')
  await expect(slow.done).rejects.toMatchObject(refused)
  // A slow one that comes later does not take their places.
  const late = begin('192.0.2.2')
  pass(1000)
  for (const { arrive } of [...others, fast]) arrive(250_000)
  expect(() => late.arrive()).toThrow('Too many')
  for (const { end } of [...others, fast]) end()
  for (const { done } of [...others, fast]) expect(await done).toBe('done')
})

it('no other gives way to a request that is refused all the same', async () => {
  const { begin, arrived, pass } = scene()
  // The slowest of its network, and fast ones that fill the deployment.
  const slow = Array.from({ length: largeAtOnce.network }, () => begin('192.0.2.1', [2, 2]))
  pass(1000)
  for (const { arrive } of slow) arrive()
  const late = begin('192.0.2.1')
  pass(500)
  const fast = Array.from({ length: largeAtOnce.deployment }, (_, n) => arrived(`10.0.${String(n)}.1`))
  expect(() => late.arrive(20_000)).toThrow('Too many')
  for (const { end } of [...slow, ...fast]) end()
  for (const { done } of [...slow, ...fast]) expect(await done).toBe('done')
})

it('a body that has arrived does not give way', async () => {
  const { run, arrived, pass } = scene()
  let store: () => void = () => undefined
  const stored = new Promise<void>((resolve) => (store = resolve))
  const works = Array.from({ length: largeAtOnce.network }, (_, n) =>
    run({ ip: '192.0.2.1', deploymentId: n, accountId: n }, async (read) => {
      await read(({ onLength }) => {
        onLength(large)
        return Promise.resolve()
      })
      await stored
      return 'stored'
    }),
  )
  await new Promise((resolve) => setImmediate(resolve))
  pass(60_000)
  expect(() => arrived('192.0.2.1', [99, 99])).toThrow('Too many')
  store()
  expect(new Set(await Promise.all(works))).toEqual(new Set(['stored']))
})

it('work that fails makes room too', async () => {
  const { run } = scene()
  for (let n = 0; n <= largeAtOnce.network; n++)
    await expect(
      run({ ip: '192.0.2.1', deploymentId: 1, accountId: 1 }, (read) =>
        read(({ onLength }) => {
          onLength(large)
          return Promise.reject(new Error('left'))
        }),
      ),
    ).rejects.toThrow('left')
})
