import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { LiveChanges } from './live-changes.js'
import type { LiveEvent } from './live-stream.js'

/** Which events are read and told, and when. */

let own: Set<string>
let isWriting: boolean
let isHeld: boolean
/** The ids of the events of each read; undefined for everything. */
let reads: (readonly number[] | undefined)[]
let told: (readonly number[])[]
let finishRead: () => void
let changes: LiveChanges

const idsOf = (events: readonly LiveEvent[]) => events.map(({ id }) => id)

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
  own = new Set()
  isWriting = isHeld = false
  reads = []
  told = []
  finishRead = () => undefined
  changes = new LiveChanges({
    isOwn: (id) => id !== null && own.has(id),
    isWriting: () => isWriting,
    isHeld: () => isHeld,
    read: (events) => {
      reads.push(events && idsOf(events))
      return new Promise<void>((resolve) => (finishRead = resolve))
    },
    tell: (events) => told.push(idsOf(events)),
  })
})
afterEach(() => vi.useRealTimers())

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

function add(id: number, zone = 'a.example'): void {
  const actor = { kind: 'token', name: 'deploy', id: 1 } as const
  changes.add({ id, at: '', area: 'dns', action: 'zone_change', object: zone, actor, request_id: `req_${id}`, zone })
}

it('reads a zone once after many changes within 300 ms', async () => {
  for (const id of [1, 2, 3]) add(id)
  await pass(299)
  expect([reads, told]).toEqual([[], []])
  await pass(1)
  expect([reads, told]).toEqual([[[3]], [[1, 2, 3]]])
})

it('neither reads nor tells what this tab has changed', async () => {
  own.add('req_1')
  add(1)
  await pass(300)
  expect([reads, told]).toEqual([[], []])
  add(1)
  add(2)
  await pass(300)
  expect([reads, told]).toEqual([[[2]], [[2]]])
})

it('waits for the answer to a write, which has the id of the event, for three seconds', async () => {
  isWriting = true
  add(1)
  await pass(600)
  own.add('req_1')
  isWriting = false
  await pass(300)
  expect([reads, told]).toEqual([[], []])
  isWriting = true
  add(2)
  await pass(3_299)
  expect(told).toEqual([])
  await pass(1)
  expect([reads, told]).toEqual([[[2]], [[2]]])
})

it('begins the next read after the one before, with what has happened meanwhile', async () => {
  add(1)
  await pass(300)
  for (const [id, zone] of [
    [2, 'a.example'],
    [3, 'a.example'],
    [4, 'b.example'],
  ] as const) {
    add(id, zone)
    await pass(300)
  }
  expect(reads).toEqual([[1]])
  finishRead()
  await pass(0)
  expect(reads).toEqual([[1], [3, 4]])
})

it('tells while a form has input, and reads when it has none', async () => {
  isHeld = true
  add(1)
  await pass(300)
  changes.release()
  expect([reads, told]).toEqual([[], [[1]]])
  isHeld = false
  changes.release()
  expect(reads).toEqual([[1]])
})

it('reads everything if events are missing, or if too many things have changed', async () => {
  changes.addAll()
  expect(reads).toEqual([undefined])
  finishRead()
  await pass(0)
  for (let id = 1; id <= 101; id++) add(id, `${id}.example`)
  await pass(300)
  expect(reads).toEqual([undefined, undefined])
})

it('keeps a thousand events at most', () => {
  for (let id = 1; id <= 1_000; id++) add(id)
  expect([reads, told.map(({ length }) => length)]).toEqual([[[1_000]], [1_000]])
})

it('does nothing after its end', async () => {
  add(1)
  changes.stop()
  await pass(300)
  expect([reads, told]).toEqual([[], []])
})
