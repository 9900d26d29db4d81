import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ApiError } from '@svc/contract'
import { fieldPart as field, filePart as file, formOf, formType } from '../../../test/byte-forms.js'
import { resetByteSite, startByteSite, type ByteSite } from '../../../test/byte-site.js'
import { expectError, send, type HttpAnswer } from '../../../test/raw-http.js'
import { StorageError } from '../../ports/blobs/port.js'

let site: ByteSite
beforeAll(async () => {
  site = await startByteSite()
})
afterEach(() => resetByteSite(site))
afterAll(() => site.stop())

const post = (path: string, type: string | undefined, body: string | Buffer) =>
  send(site.url, 'POST', path, { headers: type === undefined ? {} : { 'content-type': type }, body })
const json = (body: string | object) =>
  post('/v1/files/upload', 'application/json', typeof body === 'string' ? body : JSON.stringify(body))
const raw = (query: string, body: string | Buffer) =>
  post(`/v1/files/upload-chunk${query}`, 'application/octet-stream', body)

const form = (...parts: readonly (string | Buffer)[]) => post('/v1/files/upload', formType, formOf(...parts))

async function refused(answer: Promise<HttpAnswer>, message: string | RegExp, code = 'bad_request'): Promise<void> {
  const got = await answer
  expectError(got, code)
  if (typeof message === 'string') expect(got.body['message']).toBe(message)
  else expect(got.body['message']).toMatch(message)
  await site.expectNothingKept()
}

const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7 + (i >> 8)) % 256))
const base64 = bytes.toString('base64')

describe('the bytes arrive as they are, with their fields', () => {
  const cases: [string, () => Promise<HttpAnswer>, object, Buffer?][] = [
    ['JSON', () => json({ name: 'a', content: base64, shared: true }), { name: 'a', shared: true }],
    ['JSON as PHP writes it', () => json(`{"content":"${base64.replaceAll('/', '\\/')}","name":"a"}`), { name: 'a' }],
    ['JSON without bytes', () => json({ name: 'a', content: '' }), { name: 'a' }, Buffer.alloc(0)],
    [
      'JSON with a charset',
      () => post('/v1/files/upload', 'Application/JSON; charset=utf-8', '{"name":"a","content":"YQ"}'),
      { name: 'a' },
      Buffer.from('a'),
    ],
    [
      'the bytes of a file, with the fields in the query',
      () => post('/v1/files/upload?name=a.css&shared=true', 'application/octet-stream', bytes),
      { name: 'a.css', shared: true },
    ],
    ['a form', () => form(file(bytes)), { name: 'a.txt', media_type: 'text/css' }],
    [
      'a form, fields first',
      () => form(field('name', 'b'), field('shared', 'true'), file(bytes)),
      { name: 'b', media_type: 'text/css', shared: true },
    ],
    [
      'a form, file first',
      () => form(file(bytes), field('media_type', 'a/b'), field('shared', 'false')),
      { name: 'a.txt', media_type: 'a/b', shared: false },
    ],
    [
      'a form with a type that says nothing',
      () => form(file(bytes, 'ä € 😀.bin', 'application/octet-stream')),
      { name: 'ä € 😀.bin' },
    ],
    [
      'a form with a path as the name',
      () => form(file(bytes, 'C:\\dir\\b.txt')),
      { name: 'b.txt', media_type: 'text/css' },
    ],
    ['a form without bytes', () => form(file('')), { name: 'a.txt', media_type: 'text/css' }, Buffer.alloc(0)],
    [
      'a form whose bytes look like a boundary',
      () => form(file('\r\n-\r\n--\r\n--y\r\n\r')),
      { name: 'a.txt', media_type: 'text/css' },
      Buffer.from('\r\n-\r\n--\r\n--y\r\n\r'),
    ],
    ['raw bytes', () => raw('?index=3&upload_id=7', bytes), { index: 3, upload_id: 7 }],
    ['no raw bytes', () => raw('?index=0', ''), { index: 0 }, Buffer.alloc(0)],
  ]
  it.each(cases)('the bytes and the fields arrive as they are: %s', async (_, call, body, expected = bytes) => {
    const answer = await call()
    expect(answer.body['message']).toBeUndefined()
    expect(answer.status).toBe(200)
    expect(site.received).toHaveLength(1)
    expect(site.received[0]?.body).toEqual(body)
    expect(site.received[0]?.bytes.equals(expected)).toBe(true)
    expect(site.received[0]?.sha256).toBe(createHash('sha256').update(expected).digest('hex'))
    expect([site.settled.mock.calls.length, site.discarded.mock.calls.length]).toEqual([1, 0])
  })
})

describe('JSON: 400 that names the problem, and nothing is kept', () => {
  it.each<[string, string | object, string | RegExp]>([
    ['no body', '', 'A JSON object is required as the body.'],
    ['no object', '[]', 'The body must be a JSON object.'],
    ['not JSON', '{"name":"a","content":"YQ=="', /^The body is not JSON: /],
    ['JSON that ends in the bytes', '{"name":"a","content":"YQ', /^The body is not JSON: /],
    ['no bytes', { name: 'a' }, 'content is required.'],
    ['bytes of another type', { name: 'a', content: 5 }, 'content must be a string, not 5.'],
    ['two fields of bytes', '{"name":"a","content":"YQ==","content":"YQ=="}', 'content may be given only once.'],
    ['characters that are not base64', { name: 'a', content: 'YQ-_' }, /^content must be base64 in the alphabet /],
    ['characters that are not ASCII', { name: 'a', content: 'YQöö' }, /^content must be base64 in the alphabet /],
    ['a wrong length', { name: 'a', content: 'YWJjZ' }, /^content is not complete base64/],
    ['a missing field', { content: 'YQ==' }, 'name is required.'],
    [
      'an unknown field',
      { name: 'a', content: 'YQ==', size: 1 },
      /^size is not known in this body: it takes name, content, /,
    ],
    [
      'a field of another type',
      { name: 'a', content: 'YQ==', shared: 'true' },
      'shared must be true or false, not "true".',
    ],
    ['a NUL in a field', { name: 'a\0', content: 'YQ==' }, /NUL/],
    ['a media type without a subtype', { name: 'a', media_type: 'text', content: 'YQ==' }, /^media_type must match /],
    [
      'long fields',
      { name: 'a'.repeat(70_000), content: 'YQ==' },
      'The body has more than 65536 bytes besides content.',
    ],
  ])('JSON is refused with 400, and nothing is kept: %s', async (_, body, message) => {
    await refused(json(body), message)
  })
})

const utf16 = 'content-disposition: form-data; name=name\r\ncontent-type: text/plain; charset=utf-16le\r\n\r\n'

describe('forms: 400 that names the problem, and nothing is kept', () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => field(`f${String(i)}`, 'x'))
  it.each<[string, (string | Buffer)[], string | RegExp]>([
    ['no parts', [], /^The form /],
    ['no file part', [field('name', 'a')], 'The form has no file part: send content as a file, with a file name.'],
    ['bytes as a text field', [field('content', 'YQ==')], 'content must be a file part, with a file name.'],
    ['two file parts', [file('a'), file('b')], 'The form has more than one file part.'],
    ['10,000 fields', [...many(10_000), file('a')], 'The form has more than 32 fields.'],
    ['10,000 fields after the bytes', [file('a'), ...many(10_000)], 'The form has more than 32 fields.'],
    [
      '10,000 parts without a name',
      [...many(10_000).map((part) => part.replace('form-data', 'x')), file('a')],
      'The form has more than 40 parts.',
    ],
    [
      'a field without a name',
      [file('a'), 'content-disposition: form-data\r\n\r\nx'],
      'A field of the form has no name.',
    ],
    ['a field twice', [field('name', 'a'), file('a'), field('name', 'a')], 'name may be given only once.'],
    [
      'an unknown field',
      [file('a'), field('size', '1')],
      'size is not known in this body: it takes name, media_type, shared.',
    ],
    ['__proto__ as a field', [file('a'), field('__proto__', '1')], /^__proto__ is not known in this body/],
    ['a field of another type', [file('a'), field('shared', 'maybe')], 'shared must be true or false, not "maybe".'],
    ['an empty name', [file('a', '')], 'name is required.'],
    ['a NUL in a field', [file('a'), field('name', 'a\0')], /NUL/],
    ['half of a surrogate pair in a field', [file('a'), Buffer.from(utf16 + 'A\xd8', 'latin1')], /surrogate/],
    [
      'a long field',
      [field('name', 'a'.repeat(70_000)), file('a')],
      /^(The form has more than|name is longer than) 65536 bytes/,
    ],
    [
      'long headers',
      [`x: ${'a'.repeat(70_000)}\r\n${field('name', 'a')}`, file('a')],
      /^The form has more than 65536 bytes besides its file part/,
    ],
  ])('a form is refused with 400, and nothing is kept: %s', async (_, parts, message) => {
    await refused(form(...parts), message)
  })

  it('a form without a boundary is refused with 400', async () => {
    await refused(post('/v1/files/upload', 'multipart/form-data', 'x'), /must have a boundary/)
  })

  it('a form that ends before its last boundary is refused with 400', async () => {
    const whole = formOf(field('name', 'a'), file('abc'))
    // The last four bytes are the hyphens that end the form, and a line break.
    for (let length = 0; length < whole.length - 4; length++) {
      const answer = await post('/v1/files/upload', formType, whole.subarray(0, length))
      expectError(answer, 'bad_request')
      expect(answer.body['message'], String(length)).toMatch(/^The form /)
    }
    await site.expectNothingKept()
  })
})

describe('raw bytes: 400 before the first byte is read', () => {
  it.each([
    ['', 'index is required.'],
    ['?index=x', 'index must be an integer in decimal digits, not "x".'],
    ['?index=1&index=2', 'index may be given only once, not 2 times.'],
    ['?index=1&name=a', 'name is not known in this query: it takes upload_id, index, size.'],
    ['?index=1&content=YQ', 'content is not known in this query: it takes upload_id, index, size.'],
    ['?index=%ff', 'The query string is not percent-encoded UTF-8 (RFC 3986, section 2.1).'],
  ])('raw bytes with the query %j are refused with 400 before the first byte is read', async (query, message) => {
    await refused(raw(query, bytes), message)
    expect(site.discarded).not.toHaveBeenCalled()
  })
})

const forUpload = 'application/json or multipart/form-data or application/octet-stream'

it.each([
  ['/v1/files/upload', 'text/plain; charset=utf-8', forUpload],
  ['/v1/files/upload', 'application/jsonx', forUpload],
  ['/v1/files/upload', 'json', forUpload],
  ['/v1/files/upload', undefined, forUpload],
  ['/v1/files/upload-chunk?index=0', 'multipart/form-data; boundary=x', 'application/json or application/octet-stream'],
  ['/v1/files/upload-chunk?index=0', 'constructor', 'application/json or application/octet-stream'],
])('%s refuses a body of type %s', async (path, type, accepted) => {
  await refused(post(path, type, 'x'), `The body must be ${accepted}, named in the header Content-Type.`)
})

describe('limits', () => {
  const reason = 'The file may have 299999 bytes.'
  const calls = [
    ['JSON', () => json({ name: 'a', content: base64 })],
    ['a form', () => form(file(bytes))],
    ['raw bytes', () => raw('?index=0', bytes)],
  ] as const
  it.each(calls)('%s: 400 with the reason for one byte too many, no error at the limit', async (_, call) => {
    site.behaviour.limit = () => Promise.resolve({ max: bytes.length - 1, reason })
    await refused(call(), reason)
    site.behaviour.limit = () => Promise.resolve({ max: bytes.length, reason })
    expect((await call()).status).toBe(200)
  })

  it.each(calls)('%s: the handler may refuse all bytes', async (_, call) => {
    site.behaviour.limit = () => Promise.reject(new ApiError('bad_request', 'Enough.'))
    await refused(call(), 'Enough.')
  })

  it('JSON of nothing but escaped slashes is not too long for its limit', async () => {
    const ones = Buffer.alloc(3_000_000, 0xff)
    site.behaviour.limit = () => Promise.resolve({ max: ones.length, reason })
    expect((await json(`{"name":"a","content":"${ones.toString('base64').replaceAll('/', '\\/')}"}`)).status).toBe(200)
    expect(site.received[0]?.bytes.equals(ones)).toBe(true)
  })
})

describe('what fails after the bytes are stored: the object is discarded once', () => {
  it.each<[string, () => void, string, string]>([
    [
      'the token was revoked',
      () => {
        let times = 0
        site.behaviour.isTokenValid = () => ++times === 1
      },
      'unauthorized',
      'Revoked.',
    ],
    [
      'the handler refuses',
      () => {
        site.behaviour.handle = () => Promise.reject(new ApiError('forbidden', 'Not yours.'))
      },
      'forbidden',
      'Not yours.',
    ],
    [
      'the handler has a fault',
      () => {
        site.behaviour.handle = () => Promise.reject(new Error('bug'))
      },
      'internal_error',
      "Internal error. The server's log has the details under this request_id.",
    ],
    [
      'the store fails',
      () => {
        site.behaviour.handle = () => Promise.reject(new StorageError('The disk of the server is full.'))
      },
      'upstream_error',
      'The disk of the server is full.',
    ],
  ])('the stored object is discarded once if %s', async (_, arrange, code, message) => {
    for (const call of [
      () => json({ name: 'a', content: base64 }),
      () => form(file(bytes)),
      () => raw('?index=0', bytes),
    ]) {
      arrange()
      site.discarded.mockClear()
      site.settled.mockClear()
      await refused(call(), message, code)
      expect(site.discarded).toHaveBeenCalledTimes(1)
    }
    if (code === 'upstream_error') expect(site.log.some((line) => line.includes('the blob store failed'))).toBe(true)
  })
})
