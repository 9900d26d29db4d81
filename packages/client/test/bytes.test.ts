import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { operations, type Operation } from '@svc/contract'
import { createCaller, createClient, InputError, NoAnswerError } from '../src/index.js'
import { startDeadline } from '../src/deadline.js'

/** Bytes as the body of a request, and headers, signals and deadlines of a call. */

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

async function answering(listener: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const started = createServer(listener)
  server = started
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${String((started.address() as AddressInfo).port)}`
}

const envelope = (data: object) => JSON.stringify({ success: true, data, request_id: 'req_0123456789abcdef' })
const find = (id: string): Operation => operations.find((op) => op.id === id) ?? expect.fail(`${id} is not declared`)
const uploadChunk = find('files.uploadChunk')

/** A server that answers with what it received. */
const describing = () =>
  answering((request, response) => {
    void buffer(request).then((body) => {
      const { 'content-type': type, 'content-length': length } = request.headers
      const sha256 = createHash('sha256').update(body).digest('hex')
      response.setHeader('content-type', 'application/json')
      response.end(envelope({ url: request.url, type, length, sha256, size: body.length }))
    })
  })

const inSlices = (bytes: Uint8Array): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => {
      for (let i = 0; i < bytes.length; i += 10_000) controller.enqueue(bytes.subarray(i, i + 10_000))
      controller.close()
    },
  })

describe('bytes', () => {
  const large = randomBytes(300_000)

  it.each([
    ['an array', large, large],
    ['an empty array', new Uint8Array(), new Uint8Array()],
    ['a Blob', new Blob([large]), large],
    ['a stream', inSlices(large), large],
  ])('bytes of %s are the whole body; the other fields are in the query', async (_what, bytes, expected) => {
    const client = createClient({ baseUrl: await describing() })
    expect(await client.files.uploadChunk({ upload_id: undefined, index: 3 }, { bytes })).toMatchObject({
      url: '/v1/files/upload-chunk?index=3',
      type: 'application/octet-stream',
      sha256: createHash('sha256').update(expected).digest('hex'),
      size: expected.length,
    })
  })

  it('bytes of a stream have the length that a header gives', async () => {
    const call = createCaller({ baseUrl: await describing() })
    const headers = { 'content-length': '300000' }
    const input = { upload_id: 9, index: 0 }
    expect(await call(uploadChunk, input, { bytes: inSlices(large), headers })).toMatchObject({
      envelope: { data: { url: '/v1/files/upload-chunk?upload_id=9&index=0', length: '300000', size: 300_000 } },
    })
  })

  it('without bytes, the same operation sends JSON', async () => {
    const client = createClient({ baseUrl: await describing() })
    expect(await client.files.uploadChunk({ index: 3, content: 'aGVsbG8=' })).toMatchObject({
      url: '/v1/files/upload-chunk',
      type: 'application/json',
    })
  })

  it.each([
    ['files.rename', 'files.rename: bytes cannot be its whole body'],
    ['account.me', 'account.me: bytes cannot be its whole body'],
  ])('bytes are refused by %s', async (id, message) => {
    const call = createCaller({ baseUrl: 'http://127.0.0.1:9' })
    await expect(call(find(id), {}, { bytes: large })).rejects.toThrow(new InputError(message))
  })

  it('bytes cannot be combined with the field that holds them', async () => {
    const call = createCaller({ baseUrl: 'http://127.0.0.1:9' })
    const both = call(uploadChunk, { index: 0, content: 'aGVsbG8=' }, { bytes: large })
    await expect(both).rejects.toThrow(new InputError('files.uploadChunk: content and bytes cannot be combined'))
  })
})

describe('a stream of the server', () => {
  it('takes request headers', async () => {
    const baseUrl = await answering((request, response) => {
      response.writeHead(206, { 'content-range': 'bytes 2-4/5' }).end(`${String(request.headers.range)} llo`)
    })
    const response = await createClient({ baseUrl }).files.download({ id: 1 }, { headers: { range: 'bytes=2-' } })
    expect([response.status, await response.text()]).toEqual([206, 'bytes=2- llo'])
  })

  it('a stream may have no bytes because of a condition', async () => {
    const baseUrl = await answering((_request, response) => response.writeHead(304).end())
    const headers = { 'if-none-match': '"a"' }
    expect((await createClient({ baseUrl }).files.download({ id: 1 }, { headers })).status).toBe(304)
  })

  it('ends with the signal', async () => {
    const baseUrl = await answering((_request, response) => response.writeHead(200).write('ab'))
    const abort = new AbortController()
    const response = await createClient({ baseUrl }).files.download({ id: 1 }, { signal: abort.signal })
    abort.abort()
    await expect(response.text()).rejects.toThrow('operation was aborted')
  })
})

it('a call rejects with the reason of its signal', async () => {
  const call = createCaller({ baseUrl: await answering(() => undefined) })
  const reason = new Error('no longer needed')
  await expect(
    call(uploadChunk, { index: 0 }, { bytes: new Uint8Array(1), signal: AbortSignal.abort(reason) }),
  ).rejects.toBe(reason)
})

it('a call may have its own deadline', async () => {
  const call = createCaller({ baseUrl: await answering(() => undefined), timeoutMs: 60_000 })
  await expect(call(find('public.time'), {}, { timeoutMs: 50 })).rejects.toThrow('no answer within 0.05 s')
})

it('the error for an answer of a proxy has its status', async () => {
  const baseUrl = await answering((_request, response) => response.writeHead(502).end('<h1>Bad Gateway</h1>'))
  await expect(createClient({ baseUrl }).public.time()).rejects.toMatchObject({ reason: 'answer', status: 502 })
  await expect(createClient({ baseUrl }).public.time()).rejects.toBeInstanceOf(NoAnswerError)
})

describe('the deadline of a call', () => {
  afterEach(() => void vi.useRealTimers())

  it.each([
    ['no bytes', undefined, 30],
    ['no bytes in an array', new Uint8Array(), 30],
    ['8 MiB', new Uint8Array(8 * 2 ** 20), 30 + 512],
    ['a Blob of 16 KiB', new Blob([new Uint8Array(16 * 1024)]), 31],
  ])('the deadline of a call with %s is long enough for a slow line', (_what, bytes, seconds) => {
    vi.useFakeTimers()
    const { signal } = startDeadline(30_000, bytes)
    vi.advanceTimersByTime(seconds * 1000 - 1)
    expect(signal.aborted).toBe(false)
    vi.advanceTimersByTime(1)
    expect(signal.aborted).toBe(true)
  })

  it('the deadline of a call with a stream starts again at each chunk', async () => {
    vi.useFakeTimers()
    const deadline = startDeadline(30_000, inSlices(new Uint8Array()))
    let next: ReadableStreamDefaultController<Uint8Array> | undefined
    const reader = deadline.watch(new ReadableStream({ start: (controller) => void (next = controller) })).getReader()
    for (let chunk = 0; chunk < 5; chunk++) {
      vi.advanceTimersByTime(89_000)
      next?.enqueue(new Uint8Array(1))
      await reader.read()
    }
    expect(deadline.signal.aborted).toBe(false)
    vi.advanceTimersByTime(90_000)
    expect(deadline.signal.aborted).toBe(true)
  })

  it('does not start again after the answer', async () => {
    vi.useFakeTimers()
    const deadline = startDeadline(30_000, inSlices(new Uint8Array()))
    const reader = deadline.watch(inSlices(new Uint8Array(1))).getReader()
    deadline.clear()
    await reader.read()
    vi.advanceTimersByTime(100_000)
    expect(deadline.signal.aborted).toBe(false)
  })

  it('the deadline of a call does not exceed the longest timer', () => {
    vi.useFakeTimers()
    const { signal } = startDeadline(2 ** 31 - 1, inSlices(new Uint8Array()))
    vi.advanceTimersByTime(1_000_000)
    expect(signal.aborted).toBe(false)
  })
})

describe('files', () => {
  const publish = find('packages.publish')
  const files = [
    { name: 'a.txt', content: new Blob(['hello']) },
    { name: 'b.bin', content: new Blob([randomBytes(300_000)]) },
  ]
  /** A server that answers with the form that it received. */
  const reading = () =>
    answering((request, response) => {
      void buffer(request).then((body) => {
        const heads = body
          .toString('latin1')
          .matchAll(/name="(\w+)"(?:; filename="([\w.]+)")?\r\n(?:.+\r\n)?\r\n(\S*)/g)
        const parts = Array.from(heads, ([, name, file, value]) => [name, file ?? value])
        response.setHeader('content-type', 'application/json')
        response.end(envelope({ parts, sized: request.headers['content-length'] !== undefined }))
      })
    })
  const parts = [
    ['slug', 'greeter'],
    ['version', '1.0.0'],
    ['artifacts', 'a.txt'],
    ['artifacts', 'b.bin'],
  ]

  it('files are the parts of a form, after the other fields', async () => {
    const client = createClient({ baseUrl: await reading() })
    const answer = await client.packages.publish({ slug: 'greeter', version: '1.0.0', name: undefined }, { files })
    expect(answer).toEqual({ parts, sized: true })
  })

  it('files are sent as a stream if the caller asks for progress', async () => {
    const call = createCaller({ baseUrl: await reading() })
    let sent = 0
    const options = { files, onSent: (bytes: number) => void (sent += bytes) }
    const answer = await call(publish, { slug: 'greeter', version: '1.0.0' }, options)
    expect(answer).toMatchObject({ envelope: { data: { parts, sized: false } } })
    expect(sent).toBeGreaterThan(300_000)
  })

  it('files are refused by operations without a list of files, and beside the list', async () => {
    const call = createCaller({ baseUrl: 'http://127.0.0.1:9' })
    await expect(call(uploadChunk, { index: 0 }, { files })).rejects.toThrow(
      'files.uploadChunk: files are not accepted',
    )
    const refused = call(publish, { artifacts: [] }, { files })
    await expect(refused).rejects.toThrow('packages.publish: artifacts and files cannot be combined')
  })

  it('files get time by their length', () => {
    const form = new FormData()
    form.append('slug', 'greeter')
    form.append('artifacts', new Blob([new Uint8Array(32 * 1024)]))
    const deadline = startDeadline(1_000, form)
    deadline.clear()
    expect(deadline.ms).toBe(3_000)
  })
})
