import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { fieldPart, filePart, formOf, formType } from '../../../test/byte-forms.js'
import { resetByteSite, startByteSite, type ByteSite } from '../../../test/byte-site.js'
import { expectError, openSocket, parseAnswer, readToEnd, sendBytes } from '../../../test/raw-http.js'

const deadlines = { headers: 1_000, idle: 3_000, body: 1_500, answer: 2_000, sweep: 50 }

let site: ByteSite
beforeAll(async () => {
  site = await startByteSite(deadlines)
})
afterEach(() => resetByteSite(site))
afterAll(() => site.stop())

const content = Buffer.alloc(300_000, 'svc.')

interface Form {
  readonly path: string
  readonly type: string
  readonly body: Buffer
}
const forms: readonly (readonly [string, Form])[] = [
  [
    'JSON',
    {
      path: '/v1/files/upload',
      type: 'application/json',
      body: Buffer.from(JSON.stringify({ name: 'a', content: content.toString('base64') })),
    },
  ],
  ['a form', { path: '/v1/files/upload', type: formType, body: formOf(fieldPart('name', 'a'), filePart(content)) }],
  ['raw bytes', { path: '/v1/files/upload-chunk?index=0', type: 'application/octet-stream', body: content }],
]

const head = ({ path, type }: Form, length: string) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: ${type}\r\n${length}\r\n\r\n`
/** JSON up to its bytes: the limit is asked for there. The other forms need no byte for it. */
const beforeBytes = ({ type, body }: Form) =>
  type === 'application/json' ? body.subarray(0, body.indexOf('c3Zj')) : ''
const sized = (form: Form, length = form.body.length) => head(form, `Content-Length: ${String(length)}`)
const chunked = (form: Form) => head(form, 'Transfer-Encoding: chunked')
const chunk = (bytes: Buffer | string) =>
  Buffer.concat([Buffer.from(`${Buffer.byteLength(bytes).toString(16)}\r\n`), Buffer.from(bytes), Buffer.from('\r\n')])

async function opened(...pieces: readonly (string | Buffer)[]): Promise<Socket> {
  const socket = await openSocket(site.url)
  socket.on('error', () => socket.destroy())
  for (const piece of pieces) socket.write(piece)
  return socket
}

/** Waits until the handler of a request runs, and has stored something if `stores`. */
const started = () => vi.waitFor(async () => expect(await site.objects()).toHaveLength(1), { timeout: 10_000 })

describe.each(forms)('%s', (_, form) => {
  const half = form.body.subarray(0, form.body.length / 2)

  it('a body arrives byte by byte at its ends, and in chunks', async () => {
    const pieces = [...form.body.subarray(0, 200)].map((byte) => chunk(Buffer.of(byte)))
    const last = [...form.body.subarray(-60)].map((byte) => chunk(Buffer.of(byte)))
    const answer = await sendBytes(
      site.url,
      Buffer.concat([Buffer.from(chunked(form)), ...pieces]),
      chunk(form.body.subarray(200, -60)),
      ...last,
      '0\r\n\r\n',
    )
    expect(parseAnswer(answer).status).toBe(200)
    expect(site.received[0]?.bytes.equals(content)).toBe(true)
  })

  it('a client that leaves in the middle keeps nothing', async () => {
    const socket = await opened(sized(form), half)
    await started()
    socket.destroy()
    await site.expectNothingKept()
  })

  it('a client that leaves before its first byte keeps nothing', async () => {
    let isCalled = false
    site.behaviour.limit = async () => {
      isCalled = true
      await sleep(50)
      return { max: Infinity, reason: 'never' }
    }
    const socket = await opened(sized(form), beforeBytes(form))
    await vi.waitFor(() => expect(isCalled).toBe(true))
    socket.destroy()
    await site.expectNothingKept()
  })

  it.each([
    ['a Content-Length that is too large', () => [sized(form, form.body.length + 1), form.body]],
    ['no last chunk', () => [chunked(form), chunk(form.body)]],
  ])('%s, then the end of the connection: nothing is kept', async (_case, pieces) => {
    const socket = await opened(...pieces())
    const answer = readToEnd(socket)
    await started()
    socket.end()
    await answer
    await site.expectNothingKept()
  })

  it('a malformed chunk: 400, and nothing is kept', async () => {
    const answer = await sendBytes(site.url, chunked(form), chunk(half), 'xyz\r\n')
    expectError(parseAnswer(answer), 'bad_request')
    await site.expectNothingKept()
  })

  it('a Content-Length that is too small: the rest is not part of the body', async () => {
    const socket = await opened(sized(form, form.body.length - 100), form.body)
    const answer = parseAnswer(await readToEnd(socket))
    if (form.type === 'application/octet-stream') expect(site.received[0]?.bytes).toHaveLength(content.length - 100)
    else expectError(answer, 'bad_request')
  })

  it('a client that stops sending: 400 after the idle limit, and nothing is kept', async () => {
    const socket = await opened(sized(form), half)
    const answer = parseAnswer(await readToEnd(socket))
    expectError(answer, 'bad_request')
    expect(answer.body['message']).toBe('The request body did not arrive in time.')
    await site.expectNothingKept()
  })

  it('a slow client may take longer than the limit of other bodies', async () => {
    const socket = await opened(sized(form))
    const answer = readToEnd(socket)
    for (let i = 0; i < 10; i++) {
      socket.write(form.body.subarray((form.body.length * i) / 10, (form.body.length * (i + 1)) / 10))
      await sleep(deadlines.body / 8)
    }
    expect(parseAnswer(await answer).status).toBe(200)
  })

  it('a connection that is cut off by the server keeps nothing', async () => {
    await opened(sized(form), half)
    await started()
    site.cutOff()
    await site.expectNothingKept()
  })

  it('a Content-Length above the limit: 400 before the bytes, and the connection ends although the client goes on', async () => {
    site.behaviour.limit = () => Promise.resolve({ max: 1_000, reason: 'At most 1000 bytes.' })
    const socket = await opened(sized(form, 10_000_000).replace('Connection: close\r\n', ''), beforeBytes(form))
    let answer = ''
    socket.on('data', (bytes: Buffer) => (answer += bytes.toString()))
    const from = performance.now()
    while (!socket.destroyed) {
      socket.write(' ')
      await sleep(50)
    }
    expect(parseAnswer(answer).body['message']).toBe('At most 1000 bytes.')
    expect(performance.now() - from).toBeLessThan(deadlines.body + 1_000)
    await site.expectNothingKept()
  })

  it('the next request of the connection is read after an early refusal', async () => {
    site.behaviour.limit = () => Promise.resolve({ max: 1_000, reason: 'At most 1000 bytes.' })
    const kept = sized(form).replace('Connection: close\r\n', '')
    const answer = await sendBytes(
      site.url,
      kept,
      form.body,
      'GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    )
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400', 'HTTP/1.1 404'])
  })
})

describe('a body without an end is refused while it arrives', () => {
  const [, json] = forms[0] as (typeof forms)[number]
  const [, form] = forms[1] as (typeof forms)[number]
  const fileHead = `--x\r\n${filePart('').toString()}`
  it.each<[string, Form, string, string, string]>([
    ['white space before JSON', json, '', ' ', 'The body has more than 65536 bytes besides content.'],
    ['a field of JSON', json, '{"name":"', 'a', 'The body has more than 65536 bytes besides content.'],
    ['fields of JSON', json, '{', '"a":1,', 'The body has more than 65536 bytes besides content.'],
    ['levels of JSON', json, '', '[', 'The body has more than 65536 bytes besides content.'],
    ['padding of base64', json, '{"content":"', '=', 'content must be base64'],
    ['bytes of JSON', json, '{"content":"', 'AAAA', 'Too much.'],
    ['escapes in the bytes of JSON', json, '{"content":"', '\\u002b', 'Too much.'],
    ['text before a form', form, '', 'a', 'The form has more than 65536 bytes besides its file part.'],
    ['headers of a part', form, '--x\r\n', 'a: b\r\n', 'The form has more than 65536 bytes besides its file part.'],
    [
      'a field of a form',
      form,
      `--x\r\n${fieldPart('name', '')}`,
      'a',
      'The form has more than 65536 bytes besides its file part.',
    ],
    ['bytes of a form', form, fileHead, 'a', 'Too much.'],
    ['empty parts', form, '', '--x\r\n\r\n\r\n', 'The form has more than'],
    ['parts without headers', form, '', '--x\r\n', 'The form has more than'],
    [
      'text after a form',
      form,
      `${fileHead}\r\n--x--\r\n`,
      'a',
      'The form has more than 65536 bytes besides its file part.',
    ],
  ])('a body without an end is refused while it arrives: %s', async (_, { path, type }, before, repeated, message) => {
    site.behaviour.limit = () => Promise.resolve({ max: 1_000_000, reason: 'Too much.' })
    // With `Connection: close` the server would close before it has read what the client still sends.
    const start = chunked({ path, type, body: Buffer.alloc(0) }).replace('Connection: close\r\n', '')
    const socket = await opened(start, chunk(`${before}${repeated}`))
    let answer = ''
    socket.on('data', (bytes: Buffer) => (answer += bytes.toString()))
    const piece = chunk(repeated.repeat(Math.floor(16_384 / repeated.length)))
    let sent = 0
    for (; answer === '' && socket.writable && sent < 20_000_000; sent += piece.length) {
      socket.write(piece)
      await sleep(2)
    }
    await vi.waitFor(() => expect(answer).toContain('request_id'))
    socket.destroy()
    const { body } = parseAnswer(answer)
    expect(body['message']).toContain(message)
    // Six bytes of an escape are one byte of the file, and some bytes are on their way.
    expect(sent).toBeLessThan(12_000_000)
    await site.expectNothingKept()
  })
})
