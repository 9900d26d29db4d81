import { Readable } from 'node:stream'
import { parse as parseDisposition } from 'content-disposition'
import fastify from 'fastify'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { resetByteSite, startByteSite, type ByteSite } from '../../test/byte-site.js'
import { expectError, sendBytes } from '../../test/raw-http.js'
import type { ByteRange } from '../ports/blobs/port.js'
import { Download, type DownloadContent } from './answer.js'
import { sendDownload } from './send-download.js'

const deadlines = { headers: 1_000, idle: 1_000, body: 1_500, answer: 1_500, sweep: 50 }

let site: ByteSite
beforeAll(async () => {
  site = await startByteSite(deadlines)
})
afterEach(() => resetByteSite(site))
afterAll(() => site.stop())

const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, i) => (i * 7) % 256))
const etag = '"abc"'
const lastModified = Date.parse('2026-11-20T09:30:00.700Z')
/** The second after it. */
const date = 'Fri, 20 Nov 2026 09:30:01 GMT'

const spies = () => ({ onSent: vi.fn<(bytes: number) => void>(), opened: vi.fn<(range: ByteRange) => void>() })
let { onSent, opened } = spies()
let streams: Readable[] = []

/** A download of these bytes from the disk store. */
async function offer(content: Buffer = bytes, more: Partial<DownloadContent> = {}): Promise<void> {
  // An earlier answer may still end.
  ;({ onSent, opened } = spies())
  streams = []
  const key = `${'0'.repeat(32)}-1`
  await site.blobs.put(key, Readable.from([content]))
  site.behaviour.download = {
    size: content.length,
    etag,
    lastModified,
    mediaType: 'text/plain',
    name: 'a.txt',
    disposition: 'attachment',
    onSent,
    open: async (range) => {
      opened(range)
      const stream = await site.blobs.open(key, range)
      streams.push(stream)
      return stream
    },
    ...more,
  }
}

const path = '/v1/files/download?id=7'

async function get(headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(site.url + path, { method, headers })
  return {
    response,
    status: response.status,
    headers: response.headers,
    body: Buffer.from(await response.arrayBuffer()),
  }
}

/** The same from the content host. */
async function getElsewhere(headers: Record<string, string> = {}) {
  const other = fastify()
  other.get('/', (request, reply) =>
    sendDownload(request, reply, new Download(site.behaviour.download as DownloadContent), 'content'),
  )
  const answer = await other.inject({ url: '/', headers })
  await other.close()
  return answer
}

const sent = () => vi.waitFor(() => expect(onSent).toHaveBeenCalledTimes(1))

describe('the whole', () => {
  it('a whole download has the bytes, and headers that describe them', async () => {
    await offer()
    const { status, headers, body } = await get()
    expect(status).toBe(200)
    expect(body.equals(bytes)).toBe(true)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '1000',
      'content-disposition': 'attachment; filename=a.txt',
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      'last-modified': date,
      'x-content-type-options': 'nosniff',
      etag,
    })
    await sent()
    expect(onSent).toHaveBeenCalledWith(1_000)
    expect(streams.map(({ closed }) => closed)).toEqual([true])
  })

  it('a whole download has the headers of the handler', async () => {
    await offer(bytes, {
      headers: { 'cache-control': 'public, max-age=5', 'content-security-policy': 'sandbox' },
      disposition: 'inline',
    })
    const { headers } = await getElsewhere()
    expect(headers['cache-control']).toBe('public, max-age=5')
    expect(headers['content-security-policy']).toBe('sandbox')
    expect(headers['content-disposition']).toBe('inline; filename=a.txt')
  })

  it.each<[string, Record<string, string>, string, number]>([
    ['the whole', {}, 'GET', 200],
    ['HEAD', {}, 'HEAD', 200],
    ['a range', { range: 'bytes=0-5' }, 'GET', 206],
    ['several ranges', { range: 'bytes=0-5, 8-9' }, 'GET', 206],
    ['a revalidation', { 'if-none-match': etag }, 'GET', 304],
  ])(
    'a download on the host of the API is only saved, and runs nothing if a browser displays it: %s',
    async (_, ...call) => {
      for (const mediaType of ['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/plain']) {
        await offer(bytes, { mediaType, disposition: 'inline', headers: { 'content-security-policy': 'none' } })
        const [headers, method, status] = call
        const answer = await get(headers, method)
        expect(answer.status).toBe(status)
        expect(answer.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'")
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
        expect(answer.headers.get('content-disposition')).toBe(status === 304 ? null : 'attachment; filename=a.txt')
        await sent()
      }
    },
  )

  it('HEAD has the same headers and opens nothing', async () => {
    await offer()
    const whole = await get()
    opened.mockClear()
    await sent()
    onSent.mockClear()
    const { status, headers, body } = await get({ range: 'bytes=0-5' }, 'HEAD')
    expect([status, body.length]).toEqual([200, 0])
    const ignored = ['date', 'x-request-id', 'connection', 'keep-alive']
    const compared = (of: Headers) => [...of].filter(([name]) => !ignored.includes(name))
    expect(compared(headers)).toEqual(compared(whole.headers))
    expect(opened).not.toHaveBeenCalled()
    await sent()
    expect(onSent).toHaveBeenCalledWith(0)
  })

  it.each(['GET', 'HEAD'])('a download of no bytes opens nothing: %s', async (method) => {
    await offer(Buffer.alloc(0))
    const { status, headers } = await get({ range: 'bytes=0-' }, method)
    expect([status, headers.get('content-length')]).toEqual([200, '0'])
    expect(opened).not.toHaveBeenCalled()
    await sent()
  })
})

describe('conditions (RFC 9110, section 13)', () => {
  it.each<[string, Record<string, string>, number]>([
    ['the entity tag', { 'if-none-match': etag }, 304],
    ['it with no-cache', { 'if-none-match': etag, 'cache-control': 'no-cache' }, 304],
    [
      'the entity tag, which counts before the date and the range',
      { 'if-none-match': etag, 'if-modified-since': 'Fri, 20 Nov 2020 09:30:00 GMT', range: 'bytes=0-5' },
      304,
    ],
    ['a range with the entity tag', { range: 'bytes=0-5', 'if-range': etag }, 206],
    ['an unsatisfiable range with another entity tag', { range: 'bytes=1000-', 'if-range': '"x"' }, 200],
  ])('a request with %s is answered with $2', async (_, headers, status) => {
    await offer()
    const answer = await get(headers)
    expect(answer.status).toBe(status)
    if (status !== 304) return
    expect(answer.headers.get('etag')).toBe(etag)
    expect(answer.headers.get('content-length')).toBeNull()
    expect(opened).not.toHaveBeenCalled()
    await sent()
    expect(onSent).toHaveBeenCalledWith(0)
    const head = await sendBytes(
      site.url,
      `HEAD ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nIf-None-Match: ${etag}\r\n\r\n`,
    )
    expect(head).toMatch(/^HTTP\/1\.1 304 /)
    expect(head).not.toMatch(/content-length/i)
  })
})

it.each(['if-match', 'if-unmodified-since'])(
  'a failed %s is 412, but 400 under /v1, where the table of codes is closed',
  async (name) => {
    await offer()
    const headers = { [name]: name === 'if-match' ? '"x"' : 'Fri, 20 Nov 2026 09:30:00 GMT', range: 'bytes=0-5' }
    const answer = await get(headers)
    expect([answer.status, answer.body.toString()]).toEqual([
      400,
      expect.stringContaining('If-Match or If-Unmodified-Since'),
    ])
    await sent()
    const { statusCode, payload, headers: shown } = await getElsewhere(headers)
    expect([statusCode, payload, shown.etag]).toEqual([412, '', etag])
    await vi.waitFor(() => expect(onSent.mock.calls).toEqual([[0], [0]]))
    expect(opened).not.toHaveBeenCalled()
  },
)

describe('ranges (RFC 9110, section 14)', () => {
  it('one range is answered with the bytes of Buffer.subarray', async () => {
    await offer()
    const bound = fc.nat({ max: bytes.length - 1 })
    await fc.assert(
      fc.asyncProperty(bound, bound, async (a, b) => {
        const [first, last] = [Math.min(a, b), Math.max(a, b)]
        const { status, headers, body } = await get({ range: `bytes=${String(first)}-${String(last)}` })
        expect(status).toBe(206)
        expect(headers.get('content-range')).toBe(`bytes ${String(first)}-${String(last)}/1000`)
        expect(headers.get('content-length')).toBe(String(last - first + 1))
        expect(body.equals(bytes.subarray(first, last + 1))).toBe(true)
      }),
      { numRuns: 50 },
    )
  })

  it('several ranges are answered with multipart/byteranges of Buffer.subarray, in the order of the request', async () => {
    await offer()
    const range = fc
      .tuple(fc.nat(999), fc.nat(60))
      .map(([first, more]) => ({ first, last: Math.min(999, first + more) }))
    await fc.assert(
      fc.asyncProperty(fc.array(range, { minLength: 2, maxLength: 12 }), async (ranges) => {
        const { response, status, body } = await get({
          range: `bytes=${ranges.map(({ first, last }) => `${String(first)}-${String(last)}`).join(', ')}`,
        })
        expect(status).toBe(206)
        const type = response.headers.get('content-type') ?? ''
        const boundary = type.replace('multipart/byteranges; boundary=', '')
        const parts = ranges.map(({ first, last }) =>
          Buffer.concat([
            Buffer.from(
              `\r\n--${boundary}\r\ncontent-type: text/plain\r\ncontent-range: bytes ${String(first)}-${String(last)}/1000\r\n\r\n`,
            ),
            bytes.subarray(first, last + 1),
          ]),
        )
        const expected = Buffer.concat([...parts, Buffer.from(`\r\n--${boundary}--\r\n`)])
        expect(body.equals(expected)).toBe(true)
        expect(response.headers.get('content-length')).toBe(String(expected.length))
      }),
      { numRuns: 30 },
    )
  })

  it('400 under /v1 for an unsatisfiable range, with the size in the message', async () => {
    await offer()
    const { status, headers, body } = await get({ range: 'bytes=1000-' })
    const envelope = JSON.parse(body.toString()) as Record<string, unknown>
    expectError({ status, headers, body: envelope }, 'bad_request')
    expect(envelope['message']).toBe('Range names no byte of the file, which has 1000 bytes.')
    expect(headers.get('etag')).toBeNull()
    await sent()
  })

  it('416 elsewhere for an unsatisfiable range, with the size', async () => {
    await offer()
    const answer = await getElsewhere({ range: 'bytes=1000-' })
    expect([answer.statusCode, answer.payload]).toEqual([416, ''])
    expect(answer.headers).toMatchObject({ 'content-range': 'bytes */1000', 'content-length': '0' })
    expect(opened).not.toHaveBeenCalled()
  })
})

it('Content-Disposition has any legal name (RFC 6266, RFC 8187)', async () => {
  const illegal = /[/\\\u0000-\u001f\u007f]/
  const names = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }).filter((name) => !illegal.test(name))
  const known = [
    'a.txt',
    'a"b.txt',
    'a;b=c.txt',
    '50%.txt',
    '%41.txt',
    "it's.txt",
    'ä.txt',
    '😀.txt',
    ' a ',
    'résumé "1".pdf',
    'a\u2028b',
    '\u0085',
  ]
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.constantFrom(...known), names), async (name) => {
      await offer(Buffer.alloc(0), { name })
      const value = (await get()).headers.get('content-disposition') ?? ''
      expect(value).toMatch(/^attachment; filename[\x20-\x7e]+$/)
      expect(parseDisposition(value).parameters['filename']).toBe(name)
      await site.blobs.remove(`${'0'.repeat(32)}-1`)
    }),
    { numRuns: 200, examples: known.map((name) => [name]) },
  )
})
