import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  answer,
  answerError,
  cutAfterBody,
  cutAtOnce,
  sendRaw,
  sendTooMuch,
  startFaultyProvider,
  stayAway,
  type Fault,
  type FaultyProvider,
  type Step,
} from '../../../../test/faulty-provider.js'
import { newBlobKey, StorageError, type Blobs, type Listed } from '../port.js'
import { openS3Blobs } from './s3-blobs.js'

/** Reads and lists from a provider that fails or lies. All of its answers are faults. */

vi.setConfig({ testTimeout: 60_000 })

const limits = { connectMs: 10_000, idleMs: 1_500, attempts: 2, cleanUpMs: 2_000, partsInMemory: 3, rateMs: 10_000 }

let provider: FaultyProvider
let blobs: Blobs
beforeAll(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
})
afterAll(() => {
  vi.unstubAllEnvs()
})
beforeEach(async () => {
  provider = await startFaultyProvider('http://127.0.0.1:9')
  provider.fail('uploads', [answer(200, '<ListMultipartUploadsResult></ListMultipartUploadsResult>', xml)], true)
  blobs = openS3Blobs({ bucket: 'bucket', endpoint: provider.url }, limits)
})
afterEach(async () => {
  await blobs.close()
  await provider.close()
})

const xml = { 'content-type': 'application/xml' }

const silent = 'the storage provider does not answer'
const closed = 'the storage provider closed the connection'

describe('a download', () => {
  const key = newBlobKey(1)
  const range = { 'content-range': 'bytes 10-19/1000' }
  const whole = answer(206, '0123456789', range)
  const read = async () => Buffer.concat(await (await blobs.open(key, { first: 10, last: 19 })).toArray()).toString()

  it.each<readonly [what: string, fault: Fault]>([
    ['a closed connection', cutAtOnce],
    ['a connection that is closed after the request', cutAfterBody],
    ['503 SlowDown', answerError(503, 'SlowDown')],
  ])('a download that once gets %s is repeated', async (_what, fault) => {
    provider.fail('get', [fault, whole])
    expect(await read()).toBe('0123456789')
    expect(provider.steps).toEqual(['get', 'get'])
  })

  it('a download that gets more bytes than announced does not disturb the next', async () => {
    provider.fail('get', [sendTooMuch('HTTP/1.1 206 OK\r\nContent-Length: 10\r\n\r\n0123456789junk'), whole])
    await Promise.allSettled([read()])
    await sleep(100)
    expect(await read()).toBe('0123456789')
  })

  it('a download is repeated with the time of the provider if the clocks differ', async () => {
    const anHour = 3_600_000
    const date = new Date(Date.now() + anHour)
    const signedAt: string[] = []
    const signedOk: Fault = (incoming, outgoing, pass) => {
      signedAt.push(String(incoming.headers['x-amz-date']))
      return answer(206, '0123456789', range)(incoming, outgoing, pass)
    }
    provider.fail('get', [answerError(403, 'RequestTimeTooSkewed', { date: date.toUTCString() }), signedOk])
    expect(await read()).toBe('0123456789')
    expect(signedAt[0]?.slice(0, 11)).toBe(date.toISOString().replaceAll('-', '').slice(0, 11))
  })

  it.each<readonly [what: string, fault: Fault, message: string]>([
    ['a closed connection', cutAtOnce, `A stored file cannot be read: ${closed}.`],
    ['no byte', stayAway, `A stored file cannot be read: ${silent}.`],
    ['503 SlowDown', answerError(503, 'SlowDown'), 'A stored file cannot be read: the storage provider is overloaded.'],
    ['301', answerError(301, 'PermanentRedirect'), `A stored file cannot be read: the bucket is in another region.`],
    ['other bytes of the same length', answer(206, '0123456789', { 'content-range': 'bytes 0-9/1000' }), 'other bytes'],
    ['fewer bytes', answer(206, '012', { 'content-range': 'bytes 10-12/13' }), 'A stored file'],
    ['more bytes', answer(206, '0123456789a', range), 'A stored file cannot be read: the answer has another length.'],
    [
      'no length',
      sendRaw('HTTP/1.1 206 OK\r\n\r\n0123456789'),
      'A stored file cannot be read: the answer has another length.',
    ],
    ['an error', answerError(200, 'InternalError'), 'A stored file cannot be read: the answer has another length.'],
  ])('a download that always gets %s fails before its first byte', async (_what, fault, message) => {
    provider.fail('get', [fault], true)
    const error = await blobs.open(key, { first: 10, last: 19 }).catch((problem: unknown) => problem)
    expect(error).toBeInstanceOf(StorageError)
    expect((error as Error).message).toContain(message)
  })

  it.each<readonly [what: string, fault: Fault]>([
    ['is cut', sendRaw('HTTP/1.1 206 OK\r\nContent-Length: 10\r\n\r\n01234')],
    ['stops', async (_incoming, outgoing) => void outgoing.writeHead(206, { 'content-length': 10 }).write('01234')],
  ])('a download that %s in the middle fails', async (_what, fault) => {
    provider.fail('get', [fault], true)
    await expect(read()).rejects.toThrow(/aborted|timed out/)
    expect(provider.steps.filter((step) => step === 'get')).toHaveLength(1)
  })
})

describe('other calls', () => {
  it('a size without a length is an error, not a missing object', async () => {
    provider.fail('head', [async (_incoming, outgoing) => void outgoing.writeHead(200).end()], true)
    await expect(blobs.sizeOf(newBlobKey(1))).rejects.toThrow('A stored file cannot be read: the answer has no length.')
  })

  it.each<readonly [Step, string]>([
    ['uploads', 'ListMultipartUploadsResult'],
    ['objects', 'ListBucketResult'],
  ])('a list of %s that has no end fails', async (step, element) => {
    provider.fail(step, [endless(`<${element}>`)], true)
    await expect(all(blobs)).rejects.toThrow('The stored files cannot be listed: the storage provider failed.')
  })

  it('a list of uploads that begins again and again fails', async () => {
    const page =
      '<IsTruncated>true</IsTruncated><NextKeyMarker>k</NextKeyMarker><NextUploadIdMarker>u</NextUploadIdMarker>'
    const list = `<ListMultipartUploadsResult>${page}</ListMultipartUploadsResult>`
    provider.fail('uploads', [answer(200, list, xml)], true)
    await expect(all(blobs)).rejects.toThrow('The stored files cannot be listed: the storage provider failed.')
    expect(provider.steps).toEqual(['uploads', 'uploads'])
  })

  it('a list of objects that begins again and again ends', async () => {
    const page = '<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>'
    const list = `<ListBucketResult>${page}</ListBucketResult>`
    provider.fail('objects', [answer(200, list, xml)], true)
    expect(await all(blobs)).toEqual([])
    expect(provider.steps.filter((step) => step === 'objects')).toHaveLength(2)
  })
})

async function all(store: Blobs): Promise<Listed[]> {
  const found: Listed[] = []
  for await (const entry of store.list()) found.push(entry)
  return found
}

const endless =
  (start: string): Fault =>
  async (_incoming, outgoing) => {
    outgoing.writeHead(200, xml).write(start)
    const filler = `<Filler>${'x'.repeat(64 * 1024)}</Filler>`
    const gone = once(outgoing, 'close')
    while (!outgoing.destroyed) if (!outgoing.write(filler)) await Promise.race([once(outgoing, 'drain'), gone])
  }
