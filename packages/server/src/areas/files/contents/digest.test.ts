import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { fileStorage } from '../../../../test/file-storage.js'
import { StorageError, type Blobs } from '../../../ports/blobs/port.js'
import { fingerprintOf, type Part } from './content-store.js'
import { Digests } from './digest.js'

const sha256 = (content: string) => createHash('sha256').update(content).digest('hex')

/** Calls of these parts. */
const hashed = (blobs: Blobs, parts: readonly Part[]) => ({
  blobs,
  fingerprint: fingerprintOf(parts),
  parts: () => Promise.resolve(parts),
})

it('hashes all parts in order, also empty ones', { timeout: 60_000 }, async () => {
  const site = await fileStorage('sqlite')
  const stored = await Promise.all(['ab', '', 'c'].map(site.put))
  const digests = new Digests()
  expect(await digests.of(1, hashed(site.blobs, stored))).toBe(sha256('abc'))
  expect(await digests.of(1, hashed(site.blobs, []))).toBe(sha256(''))
  await site.stop()
})

it('a read that fails in the middle of a part is a StorageError', async () => {
  async function* broken() {
    yield Buffer.from('a')
    throw new Error('aborted')
  }
  const blobs = { open: () => Promise.resolve(Readable.from(broken())) } as unknown as Blobs
  const hash = new Digests().of(1, hashed(blobs, [{ key: 'broken', size: 2 }]))
  await expect(hash).rejects.toThrow(new StorageError('A stored file cannot be read to its end. Repeat the request.'))
})

describe('many files at once', () => {
  /** The accounts whose files are being read. */
  let reading: number[]
  /** Ends the reads. */
  let release: () => void
  let released: Promise<void>
  beforeEach(() => {
    reading = []
    released = new Promise((resolve) => (release = resolve))
  })

  const readBy = (account: number) =>
    ({
      open: () => {
        reading.push(account)
        return Promise.resolve(Readable.from(untilReleased()))
      },
    }) as unknown as Blobs
  async function* untilReleased() {
    yield Buffer.from('a')
    await released
    yield Buffer.from('b')
  }
  let files = 0
  const hash = (digests: Digests, account: number) =>
    digests.of(account, hashed(readBy(account), [{ key: String(files++), size: 1 }]))

  it('four files are hashed at a time, and one of each account; the others follow', async () => {
    const digests = new Digests()
    const accounts = [1, 1, 1, 2, 3, 4, 5, 6]
    const hashes = Promise.all(accounts.map((account) => hash(digests, account)))
    await vi.waitFor(() => expect(reading).toHaveLength(4))
    await new Promise(setImmediate)
    expect(reading.toSorted()).toEqual([1, 2, 3, 4])
    release()
    expect(new Set(await hashes)).toEqual(new Set([sha256('ab')]))
    expect(reading.toSorted()).toEqual(accounts)
  })

  it.each([
    ['its account', [1, 1]],
    ['other accounts', [1, 2, 3, 4, 5]],
  ])('a file that waits for too long for those of %s is refused, and the others are hashed', async (_, accounts) => {
    const digests = new Digests(20)
    const hashes = accounts.map((account) => hash(digests, account))
    await expect(hashes.at(-1)).rejects.toThrow('The server is assembling too many uploads at the moment.')
    release()
    await Promise.all(hashes.slice(0, -1))
    expect(await hash(digests, 9)).toBe(sha256('ab'))
  })

  it('the same parts are read once, also by later calls', async () => {
    const digests = new Digests()
    const same = () => digests.of(1, hashed(readBy(1), [{ key: 'same', size: 1 }]))
    const hashes = [same(), same(), same()]
    await vi.waitFor(() => expect(reading).toHaveLength(1))
    release()
    expect(await Promise.all([...hashes, same()])).toEqual(Array.from({ length: 4 }, () => sha256('ab')))
    expect(reading).toHaveLength(1)
  })

  it('parts that cannot be read are read again by the next call', async () => {
    const digests = new Digests()
    const parts = [{ key: 'same', size: 1 }]
    const broken = { open: () => Promise.reject(new Error('away')) } as unknown as Blobs
    await expect(digests.of(1, hashed(broken, parts))).rejects.toThrow('away')
    release()
    expect(await digests.of(1, hashed(readBy(1), parts))).toBe(sha256('ab'))
  })

  it('a file whose parts have changed while it waited is not read', async () => {
    const digests = new Digests()
    const first = hash(digests, 1)
    const changed = digests.of(1, { ...hashed(readBy(1), []), parts: () => Promise.resolve(undefined) })
    await vi.waitFor(() => expect(reading).toHaveLength(1))
    release()
    expect(await Promise.all([first, changed])).toEqual([sha256('ab'), undefined])
    expect(reading).toHaveLength(1)
  })

  it('close ends a read that gets no byte', async () => {
    const digests = new Digests()
    const stream = new Readable({ read: () => undefined })
    const open = vi.fn(() => Promise.resolve(stream))
    const stalled = digests.of(1, hashed({ open } as unknown as Blobs, [{ key: 'stalled', size: 1 }]))
    await vi.waitFor(() => expect(open).toHaveBeenCalled())
    digests.close()
    await expect(stalled).rejects.toThrow('The server is stopping. Repeat the request.')
    expect(stream.destroyed).toBe(true)
  })

  it('close ends those that run and those that wait', async () => {
    const digests = new Digests()
    const hashes = [1, 1, 2].map((account) => hash(digests, account))
    await vi.waitFor(() => expect(reading).toHaveLength(2))
    digests.close()
    release()
    for (const outcome of await Promise.allSettled(hashes))
      expect(outcome).toMatchObject({ reason: { message: 'The server is stopping. Repeat the request.' } })
  })
})
