import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { LiveStream, type LiveEvent } from './live-stream.js'

/** The stream of events, with connections that the test answers. */

interface Connection {
  readonly lastId: string
  readonly signal: AbortSignal
  send: (text: string) => void
  end: () => void
}

let connections: Connection[]
let isRefused: boolean
let events: LiveEvent[]
let resets: number
let stream: LiveStream

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
  connections = []
  isRefused = false
  events = []
  resets = 0
  stream = new LiveStream({
    open: async (lastId, signal) => {
      const connection: Connection = { lastId, signal, send: () => undefined, end: () => undefined }
      connections.push(connection)
      if (isRefused) throw new Error('refused')
      return new ReadableStream<Uint8Array>({
        start: (controller) => {
          connection.send = (text) => controller.enqueue(new TextEncoder().encode(text))
          connection.end = () => controller.close()
          signal.addEventListener('abort', () => controller.error(signal.reason))
        },
      })
    },
    onEvent: (event) => events.push(event),
    onReset: () => resets++,
  })
})
afterEach(() => {
  stream.close()
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const latest = () => connections.at(-1)
const ids = () => events.map(({ id }) => id)

it('gives its events, and says that some are missing', async () => {
  stream.open()
  await pass(0)
  latest()?.send('retry: 3000\nid: 4\n\nid: 5\ndata: {"id":5}\n\nevent: reset\nid: 9\ndata: {"id":9,"reset":true}\n\n')
  await pass(0)
  expect([ids(), resets, connections.length]).toEqual([[5], 1, 1])
})

it('has no connection while it is closed, and continues behind its last id, also without an event', async () => {
  stream.open()
  await pass(0)
  latest()?.send('id: 4\n\n')
  await pass(0)
  stream.close()
  expect(latest()?.signal.aborted).toBe(true)
  await pass(600_000)
  expect(connections).toHaveLength(1)
  stream.open()
  stream.open()
  await pass(0)
  expect(connections.map(({ lastId }) => lastId)).toEqual(['', '4'])
})

it('gives no event after it is closed', async () => {
  stream.open()
  await pass(0)
  latest()?.send('id: 5\ndata: {"id":5}\n\n')
  stream.close()
  await pass(0)
  expect(ids()).toEqual([])
})

it('is opened again three seconds after its end', async () => {
  stream.open()
  await pass(0)
  latest()?.send('id: 4\n\n')
  latest()?.end()
  await pass(2_999)
  expect(connections).toHaveLength(1)
  await pass(1)
  expect(latest()?.lastId).toBe('4')
  latest()?.send('id: 5\ndata: {"id":5}\n\n')
  await pass(0)
  expect(ids()).toEqual([5])
})

it('waits longer after each refusal, and as before after a success', async () => {
  isRefused = true
  stream.open()
  for (const [attempt, delay] of [3_000, 6_000, 12_000, 24_000, 48_000, 60_000, 60_000].entries()) {
    await pass(0)
    expect(connections).toHaveLength(attempt + 1)
    await pass(delay - 1)
    expect(connections).toHaveLength(attempt + 1)
    isRefused = attempt < 6
    await pass(1)
  }
  const count = connections.length
  latest()?.end()
  await pass(3_000)
  expect(connections).toHaveLength(count + 1)
})

it('is opened again if not even a comment arrives', async () => {
  stream.open()
  await pass(0)
  for (let comments = 0; comments < 5; comments++) {
    await pass(20_000)
    latest()?.send(': keep-alive\n\n')
  }
  await pass(49_000)
  expect(connections).toHaveLength(1)
  await pass(1_000 + 3_000)
  expect(connections.map(({ signal }) => signal.aborted)).toEqual([true, false])
})

it('skips an event that is not JSON', async () => {
  stream.open()
  await pass(0)
  latest()?.send('id: 5\ndata: {\n\n')
  await pass(3_000)
  expect([ids(), latest()?.lastId]).toEqual([[], '5'])
})
