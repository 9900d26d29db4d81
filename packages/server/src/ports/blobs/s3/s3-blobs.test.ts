import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { freePort, startSwift, type Swift } from '../../../../../../test/servers/index.js'
import { newBlobKey, StorageError, type BlobKey, type Blobs, type Bytes } from '../port.js'
import { blobsConformance } from '../../../../test/conformance/blobs.js'
import { selectBlobs } from '../select.js'
import { openS3Blobs } from './s3-blobs.js'

const mib = 1024 * 1024
const limits = { connectMs: 2_000, idleMs: 1_500, attempts: 2, cleanUpMs: 2_000, partsInMemory: 64, rateMs: 1_000 }

async function* bytesOf(size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; at += 64 * 1024) {
    await sleep(0)
    yield randomBytes(Math.min(64 * 1024, size - at))
  }
}

async function sizeOf(source: Bytes): Promise<number> {
  let size = 0
  for await (const chunk of source) size += chunk.length
  return size
}

let swift: Swift
let bucket: string
let blobs: Blobs
beforeAll(async () => {
  swift = await startSwift()
  bucket = await swift.createBucket()
}, 180_000)
afterAll(() => swift.stop())
beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', swift.accessKey)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', swift.secretKey)
  blobs = openS3Blobs({ bucket, endpoint: swift.url }, limits)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await blobs.close()
})

describe('in a bucket of Swift', () => {
  blobsConformance(async () => {
    const opened = await selectBlobs({ kind: 's3', bucket: await swift.createBucket(), endpoint: swift.url })
    return { blobs: opened, stop: () => opened.close() }
  })
})

/** The message of each call that must fail. */
async function messagesOf(store: Blobs): Promise<string[]> {
  const key = newBlobKey(1)
  const calls = [
    store.put(key, bytesOf(10)),
    store.open(key, { first: 0, last: 0 }),
    store.sizeOf(key),
    store.remove(key),
    store.list()[Symbol.asyncIterator]().next(),
    store.ping(),
  ]
  const outcomes = await Promise.allSettled(calls)
  return outcomes.map((outcome) => {
    if (outcome.status === 'fulfilled') return 'succeeded'
    expect(outcome.reason).toBeInstanceOf(StorageError)
    return (outcome.reason as Error).message
  })
}

const sentences = (reason: string): string[] => [
  `The bytes could not be stored: ${reason}.`,
  `A stored file cannot be read: ${reason}.`,
  `A stored file cannot be read: ${reason}.`,
  `A stored file cannot be removed: ${reason}.`,
  `The stored files cannot be listed: ${reason}.`,
  `The bucket ${bucket} cannot be used: ${reason}.`,
]

describe('a provider that refuses', () => {
  it('a provider refuses every call of a wrong secret', async () => {
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'wrong')
    const refused = openS3Blobs({ bucket, endpoint: swift.url }, limits)
    const reason = 'the storage provider refuses access'
    expect(await messagesOf(refused)).toEqual(sentences(reason))
  })

  it('a provider refuses every call for a missing bucket', async () => {
    const lost = openS3Blobs({ bucket: 'missing-bucket', endpoint: swift.url }, limits)
    const expected = sentences('the bucket does not exist')
    // The answer to HEAD names no reason.
    expected[2] = expected[5] = 'The bucket missing-bucket cannot be used: it does not exist.'
    expect(await messagesOf(lost)).toEqual(expected)
  })

  it('a provider refuses every call of a server without credentials', async () => {
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE']) vi.stubEnv(name, undefined)
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
    vi.stubEnv('HOME', '/nonexistent')
    const reason = 'the server has no credentials for the storage provider'
    expect(await messagesOf(openS3Blobs({ bucket, endpoint: swift.url }, limits))).toEqual(sentences(reason))
  })

  it('every call fails because the provider is not running', async () => {
    const endpoint = `http://127.0.0.1:${String(await freePort())}`
    const reason = 'the storage provider cannot be reached'
    expect(await messagesOf(openS3Blobs({ bucket, endpoint }, limits))).toEqual(sentences(reason))
  })
})

describe('a provider that hangs', { timeout: 60_000 }, () => {
  const reason = 'the storage provider does not answer'
  afterEach(() => swift.resume())

  it('a provider that hangs fails every call', async () => {
    const hasty = openS3Blobs({ bucket, endpoint: swift.url }, { ...limits, idleMs: 200 })
    swift.pause()
    expect(await messagesOf(hasty)).toEqual(sentences(reason))
  })

  it('a provider that hangs fails a ping within three seconds, also if other calls may take longer', async () => {
    const patient = openS3Blobs({ bucket, endpoint: swift.url }, { ...limits, idleMs: 30_000, attempts: 3 })
    swift.pause()
    const startedAt = performance.now()
    await expect(patient.ping()).rejects.toThrow(StorageError)
    expect(performance.now() - startedAt).toBeLessThan(3_000)
  })

  it('a provider that hangs in the middle of an upload fails it, and the sweep can remove the rest', async () => {
    const key = newBlobKey(1)
    async function* source() {
      yield* bytesOf(20 * mib)
      swift.pause()
      yield* bytesOf(20 * mib)
    }
    await expect(blobs.put(key, source())).rejects.toThrow(`The bytes could not be stored: ${reason}.`)
    swift.resume()
    // Swift updates its listings in the background.
    await vi.waitFor(
      async () => {
        const left: BlobKey[] = []
        for await (const entry of blobs.list()) left.push(entry.key)
        expect(left).toEqual([key])
      },
      { timeout: 40_000 },
    )
    await blobs.remove(key)
    for await (const entry of blobs.list()) expect(entry).toBeUndefined()
  })

  it('a provider that hangs in the middle of a download fails it', async () => {
    const key = newBlobKey(1)
    await blobs.put(key, bytesOf(20 * mib))
    const reading = await blobs.open(key, { first: 0, last: 20 * mib - 1 })
    swift.pause()
    await expect(sizeOf(reading)).rejects.toThrow('timed out')
    swift.resume()
    await blobs.remove(key)
  })
})

it('clients that do not read their downloads do not block other calls', async () => {
  const key = newBlobKey(1)
  const patient = openS3Blobs({ bucket, endpoint: swift.url }, { ...limits, idleMs: 30_000 })
  await patient.put(key, bytesOf(mib))
  // More than the connections that the SDK opens by default. A reader holds its connection until it has read the last byte.
  const readers = await Promise.all(Array.from({ length: 60 }, () => patient.open(key, { first: 0, last: mib - 1 })))
  await patient.ping()
  const other = newBlobKey(1)
  await patient.put(other, bytesOf(9 * mib))
  expect(await patient.sizeOf(other)).toBe(9 * mib)
  for (const reader of readers) reader.on('error', () => undefined).destroy()
  await patient.remove(key)
  await patient.remove(other)
}, 60_000)

it('uploads that share the memory of one part all succeed', async () => {
  const narrow = openS3Blobs({ bucket, endpoint: swift.url }, { ...limits, idleMs: 10_000, partsInMemory: 1 })
  const keys = Array.from({ length: 4 }, () => newBlobKey(1))
  // Two parts each.
  const stored = await Promise.all(keys.map((key) => narrow.put(key, bytesOf(9 * mib))))
  expect(stored.map(({ size }) => size)).toEqual(keys.map(() => 9 * mib))
  for (const key of keys) await narrow.remove(key)
}, 60_000)

describe('uploads that hold all memory', { timeout: 90_000 }, () => {
  /** A client that sends as much as fills memory, and then one byte after the other. */
  class SlowClient {
    dripped = 0
    hasEnded = false

    async *send(): AsyncGenerator<Uint8Array> {
      yield* bytesOf(mib)
      for (; !this.hasEnded; this.dripped++) {
        yield new Uint8Array(1)
        await sleep(100)
      }
    }
  }

  /** Two slow clients that hold the memory of two parts. */
  async function startSlow(rateMs: number) {
    const narrow = openS3Blobs({ bucket, endpoint: swift.url }, { ...limits, idleMs: 30_000, partsInMemory: 2, rateMs })
    const clients = [new SlowClient(), new SlowClient()]
    const keys = clients.map(() => newBlobKey(1))
    const uploads = clients.map((client, i) =>
      narrow.put(keys[i] as BlobKey, client.send()).catch((error: unknown) => error),
    )
    const drip = (count: number) =>
      vi.waitFor(() => expect(clients.filter(({ dripped }) => dripped < count)).toEqual([]), { timeout: 30_000 })
    await drip(1)
    return {
      narrow,
      drip,
      /** Ends the bytes. @returns the outcomes of the uploads */
      end: async () => {
        for (const client of clients) client.hasEnded = true
        const outcomes = await Promise.all(uploads)
        for (const key of keys) await narrow.remove(key)
        return outcomes
      },
    }
  }

  it('uploads that hold all memory are ended if they are slow and another one waits', async () => {
    const { narrow, end } = await startSlow(1_000)
    const keys = Array.from({ length: 3 }, () => newBlobKey(1))
    const stored = await Promise.all(keys.map((key) => narrow.put(key, bytesOf(9 * mib))))
    expect(stored.map(({ size }) => size)).toEqual(keys.map(() => 9 * mib))
    const ended = (await end()).filter((outcome) => outcome instanceof StorageError)
    expect(ended).not.toEqual([])
    for (const { message } of ended)
      expect(message).toBe('The bytes could not be stored: they arrived slowly while other uploads had to wait.')
    for (const key of keys) await narrow.remove(key)
  })

  it('uploads that hold all memory go on if they are slow and no other one waits', async () => {
    const { drip, end } = await startSlow(200)
    await drip(10)
    for (const outcome of await end()) expect(outcome).toMatchObject({ sha256: expect.any(String) })
  })
})

it('objects of others in the bucket are not listed', async () => {
  const client = new S3Client({ endpoint: swift.url, region: 'us-east-1', forcePathStyle: true })
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'other/object', Body: 'x' }))
  for await (const entry of blobs.list()) expect(entry).toBeUndefined()
})
