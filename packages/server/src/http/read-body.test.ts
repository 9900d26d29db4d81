import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { readBody, readBodyStart } from './read-body.js'

/** A request with a body that the test writes. */
function incoming(headers: IncomingMessage['headers'] = {}) {
  const payload = Object.assign(new PassThrough(), { headers }) as unknown as IncomingMessage & PassThrough
  return { payload, listeners: () => payload.listenerCount('data') }
}

it.each([0, 1, 1023, 1024, 1025, 5000])('joins %i chunks of one byte in their order', async (count) => {
  const { payload } = incoming()
  const body = readBody(payload, 5000)
  const bytes = Buffer.from(Array.from({ length: count }, (_, i) => i % 251))
  for (const byte of bytes) payload.write(Buffer.from([byte]))
  payload.end()
  expect(await body).toEqual(bytes)
})

it('refuses a body with a Content-Length above the limit before reading it', async () => {
  const { payload, listeners } = incoming({ 'content-length': '11' })
  await expect(readBody(payload, 10)).rejects.toMatchObject({ code: 'FST_ERR_CTP_BODY_TOO_LARGE' })
  expect(listeners()).toBe(0)
})

it('refuses a body as soon as it exceeds the limit, and reads no further', async () => {
  const { payload, listeners } = incoming()
  const body = readBody(payload, 10)
  payload.write(Buffer.alloc(10))
  payload.write(Buffer.alloc(1))
  await expect(body).rejects.toMatchObject({ code: 'FST_ERR_CTP_BODY_TOO_LARGE' })
  expect(listeners()).toBe(0)
})

it('400 when the client leaves before the end', async () => {
  const { payload } = incoming()
  const body = readBody(payload, 10)
  payload.write('half')
  payload.destroy(new Error('aborted'))
  await expect(body).rejects.toMatchObject({ code: 'bad_request' })
})

it.each([
  ['shorter', ['abc'], 'abc', false],
  ['exactly as long', ['abcde'], 'abcde', false],
  ['longer in one chunk', ['abcdefgh'], 'abcde', true],
  ['longer in many chunks', ['ab', 'cd', 'ef', 'gh', 'ij'], 'abcde', true],
  ['empty', [], '', false],
])('keeps the start of a body that is %s, and reads it to its end', async (_, chunks, start, isCut) => {
  const { payload } = incoming({ 'content-length': String(chunks.join('').length) })
  const body = readBodyStart(payload, 5)
  for (const chunk of chunks) payload.write(chunk)
  payload.end()
  expect(await body).toEqual({ bytes: Buffer.from(start), isCut })
  expect(payload.readableEnded).toBe(true)
})

it('400 when the client leaves while the rest of a long body is read', async () => {
  const { payload } = incoming()
  const body = readBodyStart(payload, 2)
  payload.write('half')
  payload.destroy(new Error('aborted'))
  await expect(body).rejects.toMatchObject({ code: 'bad_request' })
})
