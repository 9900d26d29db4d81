import { expect, it } from 'vitest'
import { encodeRRsets } from '../embedded/stored.js'
import type { Change } from '../embedded/zone-journal.js'
import { differenceOf } from './difference.js'

const records = 3000

/** RRsets that replace all records of those before. */
function replaced(sets: number): Change[] {
  const setsOf = (version: string) =>
    encodeRRsets(
      'example.test',
      1,
      Array.from({ length: sets }, (_, n) => ({
        name: `host${n}.example.test`,
        type: 'TXT' as const,
        ttl: 60,
        records: Array.from({ length: records }, (_, at) => ({ value: `${version} ${at}`, priority: null })),
      })),
    )
  const after = setsOf('after')
  return setsOf('before').map(({ key, type, set }, n) => ({ key, type, before: set, after: after[n]?.set }))
}

it('lets other work run while RRsets with thousands of records are compared', async () => {
  const changes = replaced(8)
  let turns = 0
  const count = () => {
    turns++
    tick = setImmediate(count)
  }
  let tick = setImmediate(count)
  const { removed, added } = await differenceOf(changes, new AbortController().signal)
  clearImmediate(tick)
  expect([removed.length, added.length]).toEqual([8 * records, 8 * records])
  expect(turns).toBeGreaterThan(1)
})
