import { METHODS } from 'node:http'
import { pino, type LoggerOptions } from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { logOptions } from '../serve/log.js'
import { requestLog, type RequestEntry } from './request-log.js'

/** The line of a request is what `log.info` would write. */

beforeEach(() => {
  vi.useFakeTimers({ now: 1_795_167_000_123, toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const usual: RequestEntry = {
  requestId: 'req_0123456789abcdef',
  method: 'GET',
  operation: 'account.me',
  status: 200,
  ms: 1.234,
  caller: { account: { id: 7 }, tokenId: 12 },
}

const entries: readonly (readonly [name: string, entry: RequestEntry])[] = [
  ['an authenticated request', usual],
  ['an unauthenticated request', { ...usual, caller: null }],
  ['a request with a session', { ...usual, caller: { account: { id: 7 }, tokenId: null } }],
  ['a request that could not be parsed', { ...usual, method: undefined, operation: 'none', status: 400, ms: 0 }],
  ['a short request', { ...usual, ms: 0.001 }],
  ['a long request', { ...usual, ms: 120_000.5 }],
  ['a client that left', { ...usual, operation: 'content.share', status: 499 }],
  ['a large account id', { ...usual, caller: { account: { id: Number.MAX_SAFE_INTEGER }, tokenId: 1 } }],
  ...METHODS.map((method) => [method, { ...usual, method }] as const),
]

const formats: readonly (readonly [name: string, options: LoggerOptions])[] = [
  ['the log of the server', logOptions('info')],
  ['the default format of pino', {}],
  ['lines with further fields', { base: { name: 'svc "1"' } }],
]

/** @returns the lines that the call writes */
function written(options: LoggerOptions, call: (log: pino.Logger) => void): string[] {
  const lines: string[] = []
  call(pino(options, { write: (line: string) => void lines.push(line) }))
  return lines
}

describe.each(formats)('%s', (_format, options) => {
  it.each(entries)('the line is the same as from pino: %s', (_name, entry) => {
    const { requestId, method, operation, status, ms, caller } = entry
    const expected = written(options, (log) => {
      log.info({
        request_id: requestId,
        method,
        operation,
        status,
        ms,
        account_id: caller?.account.id,
        token_id: caller?.tokenId ?? undefined,
      })
    })
    expect(expected).toHaveLength(1)
    expect(
      written(options, (log) => {
        requestLog(log)(entry)
      }),
    ).toEqual(expected)
  })
})

it.each([
  ['debug', 1],
  ['info', 1],
  ['warn', 0],
  ['silent', 0],
] as const)('a request at the level %s writes %i line', (level, count) => {
  const lines = written(logOptions(level), (log) => {
    requestLog(log)(usual)
  })
  expect(lines).toHaveLength(count)
})

it('a child writes its own fields', () => {
  const lines = written(logOptions('info'), (log) => {
    const child = log.child({ part: 'content' })
    child.info({
      request_id: usual.requestId,
      method: 'GET',
      operation: 'account.me',
      status: 200,
      ms: 1.234,
      account_id: 7,
      token_id: 12,
    })
    requestLog(child)(usual)
  })
  expect(lines[1]).toBe(lines[0])
})
