import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { startSwift, type Swift } from '../../../../../../test/servers/index.js'
import {
  answer,
  answerError,
  cutAfterBody,
  cutAtOnce,
  loseAnswer,
  passOn,
  sendRaw,
  startFaultyProvider,
  stayAway,
  type Fault,
  type FaultyProvider,
  type Step,
} from '../../../../test/faulty-provider.js'
import { newBlobKey, StorageError, type Blobs, type Bytes, type Listed } from '../port.js'
import { openS3Blobs } from './s3-blobs.js'

/** A provider that fails or lies in one step, in front of a real one. */

vi.setConfig({ testTimeout: 60_000, hookTimeout: 180_000 })

const mib = 1024 * 1024
/** One upload holds all three, so memory that a failed upload keeps would stop the next one. */
const limits = { connectMs: 10_000, idleMs: 20_000, attempts: 2, cleanUpMs: 10_000, partsInMemory: 3, rateMs: 10_000 }

let swift: Swift
let bucket: string
/** Without faults. */
let direct: Blobs
beforeAll(async () => {
  swift = await startSwift()
  bucket = await swift.createBucket()
  vi.stubEnv('AWS_ACCESS_KEY_ID', swift.accessKey)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', swift.secretKey)
  direct = openS3Blobs({ bucket, endpoint: swift.url })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await direct.close()
  await swift.stop()
})

let provider: FaultyProvider
let blobs: Blobs
beforeEach(async () => {
  provider = await startFaultyProvider(swift.url)
  blobs = openS3Blobs({ bucket, endpoint: provider.url }, limits)
})
afterEach(async () => {
  await blobs.close()
  await provider.close()
})

async function* inChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 256 * 1024) {
    await sleep(0)
    yield bytes.subarray(at, at + 256 * 1024)
  }
}

const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

async function hashOf(source: Bytes): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of source) hash.update(chunk)
  return hash.digest('hex')
}

async function stored(): Promise<Listed[]> {
  const found: Listed[] = []
  for await (const entry of direct.list()) found.push(entry)
  return found
}

const small = randomBytes(1_000)
const large = randomBytes(8 * mib + 1)

/** The steps of storing an object, with an object that needs them. */
const steps: readonly (readonly [step: Step, bytes: Buffer])[] = [
  ['put', small],
  ['create', large],
  ['part', large],
  ['complete', large],
]

const silent = 'the storage provider does not answer'
const closed = 'the storage provider closed the connection'
const failed = 'the storage provider failed'
const away = 'the bucket is in another region'

type Row = readonly [what: string, fault: Fault, reason: string]

/** Each step is tried with these. */
const common: readonly Row[] = [
  ['a closed connection', cutAtOnce, closed],
  ['a connection that is closed after the body', cutAfterBody, closed],
  ['no byte', stayAway, silent],
  ['200 with an error', answerError(200, 'InternalError'), failed],
  ['200 with an HTML page', answer(200, '<html><p>Sign in<br></html>', { 'content-type': 'text/html' }), failed],
]

const expired = 'the credentials for the storage provider have expired'
const skew = 'the clocks of the server and of the storage provider differ'

const rare: readonly Row[] = [
  ['half a head', sendRaw('HTTP/1.1 200 OK\r\nContent-Le'), closed],
  ['a head that is not HTTP', sendRaw('SMTP ready\r\n\r\n'), failed],
  ['503 SlowDown', answerError(503, 'SlowDown'), 'the storage provider is overloaded'],
  ['500', answerError(500, 'InternalError'), failed],
  ['507', answer(507), 'the storage provider is full'],
  ['301 to another region', answerError(301, 'PermanentRedirect', { 'x-amz-bucket-region': 'eu-west-1' }), away],
  ['307 to another host', answerError(307, 'TemporaryRedirect', { location: 'http://127.0.0.1:9/' }), away],
  ['400 for the region', answerError(400, 'AuthorizationHeaderMalformed'), away],
  ['400 ExpiredToken', answerError(400, 'ExpiredToken'), expired],
  ['403 RequestTimeTooSkewed', answerError(403, 'RequestTimeTooSkewed'), skew],
  ['200 without a body', answer(200), failed],
  ['half a body', sendRaw('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n<?xml'), closed],
]

describe.each(steps)('an upload whose step %s always gets', (step, bytes) => {
  it.each(step === 'put' ? [...common, ...rare] : common)(
    'an upload whose step always gets %s fails and leaves nothing',
    async (_what, fault, reason) => {
      provider.fail(step, [fault], true)
      const impatient = openS3Blobs({ bucket, endpoint: provider.url }, { ...limits, idleMs: 5_000 })
      const store = reason === silent ? impatient : blobs
      const error = await store.put(newBlobKey(1), inChunks(bytes)).catch((problem: unknown) => problem)
      await impatient.close()
      expect(error).toEqual(new StorageError(`The bytes could not be stored: ${reason}.`))
      expect(await stored()).toEqual([])
      // A request that got no byte has used all of the time. Two parts are sent at once.
      if (reason === silent)
        expect(provider.steps.filter((seen) => seen === step)).toHaveLength(step === 'part' ? 2 : 1)
    },
  )
})

it('failed uploads give their memory back', async () => {
  provider.fail('part', [cutAtOnce], true)
  for (let i = 0; i < 2; i++) await expect(blobs.put(newBlobKey(1), inChunks(large))).rejects.toThrow(closed)
  provider.fail('part', [])
  const key = newBlobKey(1)
  expect(await blobs.put(key, inChunks(large))).toMatchObject({ size: large.length })
  await direct.remove(key)
})

describe.each(steps)('an upload whose step %s once gets', (step, bytes) => {
  it.each<readonly [what: string, fault: Fault]>([
    ['a connection that is closed after the body', cutAfterBody],
    ['no answer although the provider has obeyed', loseAnswer],
    ['503 SlowDown', answerError(503, 'SlowDown')],
  ])('an upload whose step once gets %s succeeds, and leaves nothing else', async (_what, fault) => {
    provider.fail(step, [fault])
    const key = newBlobKey(1)
    expect(await blobs.put(key, inChunks(bytes))).toEqual({ size: bytes.length, sha256: sha256Of(bytes) })
    expect(await stored()).toEqual([{ key, isWhole: true }])
    const whole = await direct.open(key, { first: 0, last: bytes.length - 1 })
    expect(await hashOf(whole)).toBe(sha256Of(bytes))
    await direct.remove(key)
  })
})

it('an upload that was completed without an answer succeeds, although the provider no longer knows it', async () => {
  provider.fail('complete', [loseAnswer, answerError(404, 'NoSuchUpload')])
  const key = newBlobKey(1)
  expect(await blobs.put(key, inChunks(large))).toMatchObject({ size: large.length })
  expect(await stored()).toEqual([{ key, isWhole: true }])
  await direct.remove(key)
})

it('an upload that the provider has forgotten fails', async () => {
  provider.fail('complete', [answerError(404, 'NoSuchUpload')], true)
  await expect(blobs.put(newBlobKey(1), inChunks(large))).rejects.toThrow(StorageError)
  expect(await stored()).toEqual([])
})

it('a failed upload ends within the time to clean up if the provider answers nothing more', async () => {
  const patient = openS3Blobs({ bucket, endpoint: provider.url }, { ...limits, idleMs: 30_000, cleanUpMs: 200 })
  for (const step of ['abort', 'delete', 'uploads'] as const) provider.fail(step, [stayAway], true)
  provider.fail('part', [cutAtOnce], true)
  const from = performance.now()
  await expect(patient.put(newBlobKey(1), inChunks(large))).rejects.toThrow(closed)
  expect(performance.now() - from).toBeLessThan(15_000)
  await patient.close()
  for (const { key } of await stored()) await direct.remove(key)
})

it('a close waits for an upload that cleans up', async () => {
  const late: Fault = async (incoming, outgoing, pass) => {
    await sleep(200)
    await passOn(incoming, outgoing, pass)
  }
  provider.fail('abort', [late])
  async function* source() {
    yield* inChunks(large)
    throw new Error('The client has left.')
  }
  const put = expect(blobs.put(newBlobKey(1), source())).rejects.toThrow('The client has left.')
  await vi.waitFor(() => expect(provider.steps).toContain('abort'), { timeout: 30_000, interval: 5 })
  await blobs.close()
  expect(await stored()).toEqual([])
  await put
})
