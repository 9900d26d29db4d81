import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { resetByteSite, startByteSite, type ByteSite } from '../../../test/byte-site.js'
import { expectError, openSocket, parseAnswer, sendBytes } from '../../../test/raw-http.js'
import { asStream, StorageError, type ByteRange } from '../../ports/blobs/port.js'
import type { DownloadContent } from '../answer.js'

const deadlines = { headers: 1_000, idle: 1_000, body: 1_500, answer: 1_500, sweep: 50 }
const mebibyte = 1024 * 1024

let site: ByteSite
beforeAll(async () => {
  site = await startByteSite(deadlines)
})
afterEach(() => resetByteSite(site))
afterAll(() => site.stop())

const request = 'GET /v1/files/download?id=7 HTTP/1.1\r\nHost: x\r\n'
const last = `${request}Connection: close\r\n\r\n`

let onSent = vi.fn<(bytes: number) => void>()
let streams: Readable[] = []

function offer(size: number, open: (range: ByteRange) => Promise<Readable>): void {
  onSent = vi.fn()
  streams = []
  site.log.length = 0
  const content: DownloadContent = {
    size,
    etag: '"abc"',
    lastModified: 0,
    mediaType: 'text/plain',
    name: 'a.txt',
    disposition: 'attachment',
    onSent,
    open: async (range) => {
      const stream = await open(range)
      streams.push(stream)
      return stream
    },
  }
  site.behaviour.download = content
}

async function offerStored(size: number): Promise<void> {
  const key = `${'0'.repeat(32)}-1`
  await site.blobs.put(key, Readable.from(Array.from({ length: size / mebibyte }, (_, i) => Buffer.alloc(mebibyte, i))))
  offer(size, (range) => site.blobs.open(key, range))
}

const ended = async (count = 1) => {
  await vi.waitFor(() => expect(onSent).toHaveBeenCalledTimes(count), { timeout: 4_000 })
  await vi.waitFor(() => expect(streams.map(({ closed }) => closed)).toEqual(streams.map(() => true)))
}

const errors = () => site.log.filter((line) => line.includes('"level":50'))

describe('a store that fails', () => {
  it('502 without the headers of the file if the store fails when the file is opened', async () => {
    offer(10, () => Promise.reject(new StorageError('The disk of the server failed.')))
    const answer = parseAnswer(await sendBytes(site.url, last))
    expectError(answer, 'upstream_error')
    expect(answer.body['message']).toBe('The disk of the server failed.')
    expect([answer.headers.etag, answer.headers['content-disposition']]).toEqual([undefined, undefined])
    await ended()
    expect(onSent).toHaveBeenCalledWith(0)
  })

  it.each<[string, Buffer[], boolean]>([
    ['in the middle', [Buffer.alloc(500_000)], true],
    ['by a file that is too short', [Buffer.alloc(500_000), Buffer.alloc(499_999)], false],
    ['by a file that is too long', [Buffer.alloc(500_000), Buffer.alloc(500_001)], false],
  ])('%s: the answer is visibly incomplete', async (_, chunks, fails) => {
    offer(1_000_000, () =>
      Promise.resolve(
        Readable.from(
          (async function* () {
            for (const chunk of chunks) {
              yield chunk
              await sleep(20)
            }
            if (fails) throw new StorageError('The disk of the server failed.')
          })(),
        ),
      ),
    )
    // The client does not ask for the connection to be closed.
    const answer = await sendBytes(site.url, `${request}\r\n`)
    expect(answer).toContain('content-length: 1000000')
    expect(answer.slice(answer.indexOf('\r\n\r\n') + 4).length).toBeLessThan(1_000_000)
    await ended()
    expect(onSent.mock.calls[0]?.[0]).toBeLessThan(1_000_000)
  })

  it('502 if the store fails before the first byte, with any error', async () => {
    const broken = new Readable({ read: () => broken.destroy(new Error('aborted')) })
    offer(10, () => Promise.resolve(broken))
    expectError(parseAnswer(await sendBytes(site.url, last)), 'upstream_error')
  })

  it('the log has the reason if the store fails in the middle, with any error', async () => {
    offer(10, () =>
      Promise.resolve(
        Readable.from(
          (async function* () {
            yield Buffer.from('ab')
            await sleep(20)
            throw new Error('aborted by the provider')
          })(),
        ),
      ),
    )
    expect(await sendBytes(site.url, `${request}\r\n`)).toMatch(/\r\n\r\nab$/)
    await ended()
    expect(errors().join()).toContain('aborted by the provider')
  })

  it('the answer is visibly incomplete if the store fails at the second of several ranges', async () => {
    offer(10, ({ first }) =>
      first > 0 ? Promise.reject(new StorageError('away')) : Promise.resolve(Readable.from([Buffer.from('ab')])),
    )
    const answer = await sendBytes(site.url, `${request}Range: bytes=0-1, 4-5\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 206 [^]*\r\n\r\nab\r\n--/)
    expect(answer).not.toMatch(/--\r\n$/)
    await ended()
  })
})

describe('a client that', () => {
  it('a client that stops reading costs no memory, and is ended after the idle limit', async () => {
    await offerStored(64 * mebibyte)
    let pushed = 0
    const { open } = site.behaviour.download as DownloadContent
    site.behaviour.download = {
      ...(site.behaviour.download as DownloadContent),
      open: async (range) => asStream(await open(range)).on('data', (chunk: Buffer) => (pushed += chunk.length)),
    }
    const socket = await openSocket(site.url)
    socket.on('error', () => undefined)
    socket.write(last)
    await ended()
    // What the buffers of both ends hold.
    expect(pushed).toBeLessThan(16 * mebibyte)
    expect(onSent.mock.calls[0]?.[0]).toBeLessThanOrEqual(pushed)
    socket.destroy()
  })

  it('the file is closed and the sent bytes are counted if a client leaves', async () => {
    await offerStored(64 * mebibyte)
    const socket = await openSocket(site.url)
    socket.write(last)
    await new Promise((resolve) => socket.once('data', resolve))
    socket.destroy()
    await ended()
    expect(onSent.mock.calls[0]?.[0]).toBeLessThan(32 * mebibyte)
  })

  it('the file is closed if a client leaves while the file is opened', async () => {
    await offerStored(mebibyte)
    const { open } = site.behaviour.download as DownloadContent
    let isOpening = false
    site.behaviour.download = {
      ...(site.behaviour.download as DownloadContent),
      open: async (range) => {
        isOpening = true
        await sleep(200)
        return open(range)
      },
    }
    const socket = await openSocket(site.url)
    socket.write(last)
    await vi.waitFor(() => expect(isOpening).toBe(true))
    socket.destroy()
    await vi.waitFor(() => expect(streams).toHaveLength(1))
    await ended()
    expect(onSent).toHaveBeenCalledWith(0)
    expect(errors()).toEqual([])
  })

  it('a client that sends 20 requests at once has one file open, and all files are closed when it leaves', async () => {
    await offerStored(64 * mebibyte)
    let requests = 0
    site.behaviour.isTokenValid = () => {
      requests += 1
      return true
    }
    const socket = await openSocket(site.url)
    socket.on('error', () => undefined)
    socket.write(`${request}\r\n`.repeat(20))
    await vi.waitFor(() => expect(requests).toBe(20))
    await vi.waitFor(() => expect(site.running.count).toBe(0))
    await new Promise((resolve) => socket.once('data', resolve))
    expect(streams).toHaveLength(1)
    socket.destroy()
    await ended(20)
    expect(streams).toHaveLength(1)
    expect(errors()).toEqual([])
  })

  it('a client that reads slowly may take longer than the limit of other answers', async () => {
    await offerStored(32 * mebibyte)
    const socket = await openSocket(site.url)
    socket.write(last)
    let read = 0
    const from = performance.now()
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      read += chunk.length
      if (performance.now() - from < deadlines.answer * 2) await sleep(20)
    }
    expect(read).toBeGreaterThan(32 * mebibyte)
    expect(performance.now() - from).toBeGreaterThan(deadlines.answer * 2)
    await ended()
    expect(onSent).toHaveBeenCalledWith(32 * mebibyte)
  })
})

it('several requests of one connection leave no listeners on it', async () => {
  offer(2, () => Promise.resolve(Readable.from([Buffer.from('ab')])))
  const warnings: Error[] = []
  const warn = (warning: Error) => void warnings.push(warning)
  process.on('warning', warn)
  const answer = await sendBytes(site.url, `${request}\r\n`.repeat(30) + last)
  process.off('warning', warn)
  expect(answer.match(/\r\n\r\nab/g)).toHaveLength(31)
  expect(warnings.filter(({ name }) => name === 'MaxListenersExceededWarning')).toEqual([])
})
