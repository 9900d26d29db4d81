import { pino } from 'pino'
import { beforeEach, expect, it } from 'vitest'
import type { BlobKey, Blobs } from './port.js'
import { Removals } from './removals.js'

let removed: BlobKey[]
let logged: Record<string, unknown>[]
/** Ends the removals that have begun. */
let release: () => void
beforeEach(() => {
  removed = []
  logged = []
})

const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>) })
const keys = (count: number) => Array.from({ length: count }, (_, i) => `key${String(i)}`)

/** Removals from a store that answers when the test says so. */
function removals(): Removals {
  const released = new Promise<void>((resolve) => (release = resolve))
  const remove: Blobs['remove'] = async (key) => {
    removed.push(key)
    await released
  }
  return new Removals({ remove } as Blobs, log)
}

it('removes all objects, 8 at a time', async () => {
  const some = removals()
  some.add(keys(3))
  some.add(keys(30).slice(3))
  await new Promise(setImmediate)
  expect(removed).toEqual(keys(8))
  release()
  await some.close()
  expect(removed).toEqual(keys(30))
  expect(logged).toEqual([])
})

it('removes objects that are added after the others are removed', async () => {
  const some = removals()
  release()
  some.add(keys(1))
  await new Promise(setImmediate)
  some.add(keys(2).slice(1))
  await some.close()
  expect(removed).toEqual(keys(2))
})

it('leaves those beyond 100,000 to the sweep, with a line in the log', async () => {
  const some = removals()
  some.add(keys(100_000))
  some.add(keys(100_050).slice(100_000))
  expect(logged).toMatchObject([{ objects: 42, msg: expect.stringContaining('the sweep will remove') }])
  release()
  await some.close()
  expect(removed).toEqual(keys(100_008))
})

it('close leaves objects to the sweep that a slow store has not removed', async () => {
  const some = removals()
  some.add(keys(30))
  const closed = some.close()
  setTimeout(release, 1_000)
  await closed
  expect(removed).toEqual(keys(8))
})
