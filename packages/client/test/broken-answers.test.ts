import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { operations } from '@svc/contract'
import { createCaller, createClient, NoAnswerError, SvcError } from '../src/index.js'

/** Answers that are not of the API: a proxy, another server, no server. */

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

async function answering(listener: RequestListener): Promise<string> {
  const started = createServer(listener)
  server = started
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${String((started.address() as AddressInfo).port)}`
}

const json = { 'content-type': 'application/json' }
const failed = (call: Promise<unknown>): Promise<NoAnswerError> =>
  call.then(
    () => expect.fail('the call succeeded'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(NoAnswerError)
      return error as NoAnswerError
    },
  )

describe('an answer that is not of the API', () => {
  it.each([
    ['a page', 200, { 'content-type': 'text/html' }, '<!doctype html>'],
    ['an error page of a proxy', 502, { 'content-type': 'text/html' }, '<h1>Bad Gateway</h1>'],
    ['an empty body', 200, {}, ''],
    ['incomplete JSON', 200, json, '{"success":true,"data":{'],
    ['JSON that is null', 200, json, 'null'],
    ['JSON without the envelope', 200, json, '{"user":{}}'],
    ['an envelope without data', 200, json, '{"success":true,"request_id":"req_0123456789abcdef"}'],
    ['an error without a code', 400, json, '{"success":false,"message":"no","request_id":"req_0123456789abcdef"}'],
    ['success with an error status', 500, json, '{"success":true,"data":{},"request_id":"req_0123456789abcdef"}'],
  ])('NoAnswerError with reason answer for %s', async (_what, status, headers, text) => {
    const baseUrl = await answering((_request, response) => response.writeHead(status, headers).end(text))
    const error = await failed(createClient({ baseUrl }).account.me())
    expect(error.reason).toBe('answer')
    expect(error.message).toContain(`GET ${baseUrl}/v1/account/me`)
    expect(error.message).toContain(`status ${String(status)}`)
  })

  it('NoAnswerError with reason answer for an error page instead of a stream', async () => {
    const baseUrl = await answering((_request, response) => response.writeHead(404).end('no'))
    expect((await failed(createClient({ baseUrl }).files.download({ id: 1 }))).reason).toBe('answer')
  })
})

it('SvcError has codes and fields that this version does not know', async () => {
  const envelope = {
    success: false,
    error: 'too_early',
    message: 'Wait.',
    request_id: 'req_0123456789abcdef',
    until: 9,
  }
  const baseUrl = await answering((_request, response) => response.writeHead(425, json).end(JSON.stringify(envelope)))
  const error = await createClient({ baseUrl })
    .account.me()
    .catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(SvcError)
  expect(error).toMatchObject({ code: 'too_early', status: 425, extra: { until: 9 }, envelope })
})

it('SvcError has the field that the message is about', async () => {
  const about = { field: 'artifacts[0].name', problem: 'must not be empty.' }
  const message = `${about.field} ${about.problem}`
  const envelope = { success: false, error: 'bad_request', message, ...about, request_id: 'req_0123456789abcdef' }
  const baseUrl = await answering((_request, response) => response.writeHead(400, json).end(JSON.stringify(envelope)))
  const error = await createClient({ baseUrl })
    .account.me()
    .catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ ...about, message, extra: {} })
})

describe('an answer that does not arrive', () => {
  it('NoAnswerError with reason network if the port is closed', async () => {
    const baseUrl = await answering(() => undefined)
    await new Promise((resolve) => server?.close(resolve))
    const error = await failed(createClient({ baseUrl }).public.time())
    expect(error.reason).toBe('network')
    expect(error.message).toMatch(`GET ${baseUrl}/v1/public/time: fetch failed: connect ECONNREFUSED`)
  })

  it('NoAnswerError with reason timeout if the answer never begins', async () => {
    const baseUrl = await answering(() => undefined)
    const error = await failed(createClient({ baseUrl, timeoutMs: 50 }).public.hash({ value: 'secret' }))
    expect(error).toMatchObject({
      reason: 'timeout',
      message: `GET ${baseUrl}/v1/public/hash: no answer within 0.05 s`,
    })
  })

  it('NoAnswerError with reason timeout if the answer never ends', async () => {
    const baseUrl = await answering((_request, response) => void response.writeHead(200, json).write('{"success":'))
    expect((await failed(createClient({ baseUrl, timeoutMs: 100 }).public.time())).reason).toBe('timeout')
  })

  it('NoAnswerError with reason network if the answer is incomplete', async () => {
    const baseUrl = await answering((_request, response) => {
      response.writeHead(200, { ...json, 'content-length': '100' }).write('{"success":')
      setTimeout(() => response.destroy(), 20)
    })
    expect((await failed(createClient({ baseUrl }).public.time())).reason).toBe('network')
  })
})

it('the body of a stream may arrive later than timeoutMs', async () => {
  const baseUrl = await answering((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).write('ab')
    setTimeout(() => response.end('cd'), 200)
  })
  const response = await createClient({ baseUrl, timeoutMs: 100 }).files.download({ id: 1 })
  expect(await response.text()).toBe('abcd')
})

it('createCaller returns the whole envelope', async () => {
  const envelope = { success: true, data: { unix: 1 }, request_id: 'req_0123456789abcdef' }
  const baseUrl = await answering((_request, response) => response.writeHead(200, json).end(JSON.stringify(envelope)))
  const op = operations.find(({ id }) => id === 'public.timestamp')!
  expect(await createCaller({ baseUrl })(op)).toEqual({ kind: 'json', envelope })
})
