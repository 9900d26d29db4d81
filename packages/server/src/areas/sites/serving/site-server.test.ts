import { Readable } from 'node:stream'
import { expect, it, vi } from 'vitest'
import type { Download } from '../../../http/answer.js'
import { FollowedCache } from '../../../shared/followed-cache.js'
import { ContentsInMemory } from './contents-in-memory.js'
import { Sites } from './site-server.js'
import type { LiveVersion, ServingStore } from './store.js'

const form = { key: 'key', start: 2, size: 4 }
const file = { path: 'index.html', contentId: 7, sha256: 'ab'.repeat(32), forms: { identity: form } }
const live: LiveVersion = { versionId: 1, deployedAt: 0 }
const noRules = '{"headers":[],"redirects":[]}'

/** The database and the blob store, which a test can stop. */
function start() {
  const down = new Error('down')
  let isDown = false
  let changes = 0
  const answer = <T>(value: T): Promise<T> => (isDown ? Promise.reject(down) : Promise.resolve(value))
  const store: ServingStore = {
    findByName: (name) => answer(name === 'docs' ? live : undefined),
    findByDomain: (host) => answer(host === 'own.example' ? live : undefined),
    rules: () => answer<string | undefined>(noRules),
    files: () => answer([file]),
  }
  const open = vi.fn(() => answer(Readable.from([Buffer.from('pa'), Buffer.from('ge')])))
  const contents = new ContentsInMemory({ open })
  const sites = new Sites({ store, contents, sitesDomain: 'localhost', countChanges: () => answer(changes) })
  return {
    store,
    open,
    contents,
    sites,
    stop: () => (isDown = true),
    change: () => changes++,
    follow: () => sites.job.run(new AbortController().signal),
    ask: (host: string) => ({ host, target: '/', encodings: undefined }),
  }
}

const first = { first: 0, last: 3 }

async function read(answer: unknown): Promise<string> {
  return ((await (answer as Download).content.open(first)) as Buffer).toString()
}

it('serves what is in memory without the database, and nothing else', async () => {
  const { sites, ask, stop, follow } = start()
  for (const host of ['docs.localhost', 'own.example']) expect(await read(await sites.answer(ask(host)))).toBe('page')
  await follow()
  for (const host of ['docs.localhost', 'own.example']) await read(await sites.answer(ask(host)))
  stop()
  await expect(follow()).rejects.toThrow('down')
  for (const host of ['docs.localhost', 'own.example'])
    expect(String(sites.findInMemory(ask(host))?.bytes)).toBe('page')
  expect(sites.isOwnDomain('own.example')).toBe(true)
  await expect(sites.answer(ask('other.localhost'))).rejects.toThrow('down')
  await expect(sites.isOwnDomain('other.example')).rejects.toThrow('down')
})

it.each(['', 'a\0b', 'a b', 'a_b', 'OWN.example', 'a'.repeat(254), 'a.'.repeat(32_000)])(
  'a text that is not a host has no site, without the database',
  async (text) => {
    const { sites, stop } = start()
    stop()
    expect([await sites.isOwnDomain(text), await sites.hasSite(text)]).toEqual([false, false])
  },
)

it('keeps that a host is not a domain until something changes', async () => {
  const { sites, change, follow } = start()
  await follow()
  expect(await sites.isOwnDomain('other.example')).toBe(false)
  expect(sites.isOwnDomain('other.example')).toBe(false)
  change()
  await follow()
  expect(sites.isOwnDomain('other.example')).toBeInstanceOf(Promise)
})

it('does not keep an answer whose look-up began before a change', async () => {
  const { sites, store, ask } = start()
  let found: (files: (typeof file)[]) => void = () => undefined
  const files = vi.spyOn(store, 'files').mockReturnValueOnce(new Promise((resolve) => (found = resolve)))
  const looking = sites.answer(ask('docs.localhost'))
  await vi.waitFor(() => expect(files).toHaveBeenCalled())
  sites.noteChange()
  found([file])
  await looking
  expect(sites.findInMemory(ask('docs.localhost'))).toBeUndefined()
})

it('keeps rules within their limit, and reads each once for many requests', async () => {
  const { sites, store, ask } = start()
  // Each takes almost a third of the memory for rules.
  const large = noRules.padEnd(500_000)
  const rules = vi.spyOn(store, 'rules').mockResolvedValue(large)
  vi.spyOn(store, 'findByName').mockImplementation((name) =>
    Promise.resolve({ versionId: Number(name), deployedAt: 0 }),
  )
  const page = (version: number, path: string) => sites.answer({ ...ask(`${version}.localhost`), target: path })
  await Promise.all([page(1, '/'), page(1, '/a'), page(1, '/b')])
  expect(rules).toHaveBeenCalledTimes(1)
  for (const version of [2, 3, 4]) await page(version, '/')
  expect(rules).toHaveBeenCalledTimes(4)
  await page(4, '/a')
  expect(rules).toHaveBeenCalledTimes(4)
  await page(1, '/c')
  expect(rules.mock.calls.map(([version]) => version)).toEqual([1, 2, 3, 4, 1])
})

it('has no file at a version that has been removed meanwhile', async () => {
  const { sites, store, ask } = start()
  vi.spyOn(store, 'rules').mockResolvedValue(undefined)
  expect(await sites.answer(ask('docs.localhost'))).toBeUndefined()
})

it('does not keep that a path longer than that of any file has none', async () => {
  const { sites, ask } = start()
  const load = vi.spyOn(FollowedCache.prototype, 'load')
  for (const length of [3_073, 3_500]) {
    expect(await sites.answer({ ...ask('docs.localhost'), target: `/${'a'.repeat(length)}` })).toBeUndefined()
  }
  const lengths = load.mock.calls.map(([key]) => String(key).length)
  load.mockRestore()
  expect(Math.max(...lengths)).toBeLessThan(3_400)
})

it('keeps the bytes of a content across changes, and reads them once for many requests', async () => {
  const { sites, open, ask } = start()
  const answers = await Promise.all([1, 2, 3].map(() => sites.answer(ask('docs.localhost'))))
  expect(await Promise.all(answers.map(read))).toEqual(['page', 'page', 'page'])
  sites.noteChange()
  expect(await read(await sites.answer(ask('docs.localhost')))).toBe('page')
  expect(open).toHaveBeenCalledTimes(1)
  expect(open).toHaveBeenCalledWith('key', { first: 2, last: 5 })
})

it('reads a content again after a failure, and refuses one of another length', async () => {
  const { contents, open } = start()
  const content = { ...form, contentId: 7, encoding: 'identity' } as const
  open.mockRejectedValueOnce(new Error('disk'))
  await expect(contents.open(content, first)).rejects.toThrow('disk')
  await expect(contents.open({ ...content, contentId: 8, size: 5 }, first)).rejects.toThrow('does not have the length')
  expect(await contents.open(content, { first: 1, last: 2 })).toEqual(Buffer.from('ag'))
})

it('reads a part of a large content from the store each time', async () => {
  const { contents, open } = start()
  const large = { ...form, size: 300_000, contentId: 7, encoding: 'br' } as const
  for (const _ of [1, 2]) await contents.open(large, { first: 10, last: 19 })
  expect(open.mock.calls).toEqual([1, 2].map(() => ['key', { first: 12, last: 21 }]))
  expect(contents.find(large)).toBeUndefined()
  expect(contents.find({ ...large, size: 0 })).toHaveLength(0)
})
