import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commitBlob, dropBlob } from '../../../test/blob-units.js'
import { twoProcesses, type TwoProcesses } from '../../../test/two-processes.js'
import { newBlobKey } from './port.js'
import { writerStore } from './writer-store.js'

describe.each(['sqlite', 'postgres'] as const)('the rows of objects on %s', (kind) => {
  let processes: TwoProcesses
  let store: ReturnType<typeof writerStore>
  beforeAll(async () => {
    processes = await twoProcesses(kind)
    store = writerStore(processes.db)
  })
  afterAll(() => processes.stop())

  it('the rows of objects are read in pages, in the order of their keys, and those of given keys', async () => {
    const writer = await store.start(Date.now() + 60_000)
    const keys = Array.from({ length: 7 }, () => newBlobKey(writer)).sort()
    for (const [size, key] of keys.entries()) await processes.db.write(commitBlob, key, size * 2 ** 31)
    const rows = keys.map((key, i) => ({ key, size: i * 2 ** 31 }))
    expect(await store.page('', 3)).toEqual(rows.slice(0, 3))
    expect(await store.page(keys[2]!, 10)).toEqual(rows.slice(3))
    expect(await store.inUse([keys[1]!, newBlobKey(writer), keys[5]!])).toEqual(new Set([keys[1], keys[5]]))
    await processes.db.write(dropBlob, keys[1]!)
    expect(await store.inUse([keys[1]!])).toEqual(new Set())
    expect(await store.inUse([])).toEqual(new Set())
  })

  it('the rows of objects cannot be added twice, nor for a key without a writer', async () => {
    const key = newBlobKey(await store.start(Date.now() + 60_000))
    await processes.db.write(commitBlob, key, 1)
    await expect(processes.db.write(commitBlob, key, 1)).rejects.toThrow()
    await expect(processes.db.write(commitBlob, 'foreign', 1)).rejects.toThrow('whose lease has expired')
  })

  it('a writer lives until it ends or expires, and its id is never used again', async () => {
    const [first, second] = [await store.start(1_000), await store.start(2_000)]
    const expired = await store.all()
    expect(await store.renew(first, 3_000)).toEqual({ id: first, renewals: 1 })
    for (const writer of expired) if (writer.expiresAt < 2_500) await store.endExpired(writer)
    expect((await store.all()).filter(({ expiresAt }) => expiresAt < 9_000)).toEqual([
      { id: first, renewals: 1, expiresAt: 3_000 },
    ])
    expect(await store.renew(second, 9_000)).toBeUndefined()
    expect(await store.end(first)).toEqual({ id: first, renewals: 2 })
    expect(await store.renew(first, 9_000)).toBeUndefined()
    expect(await store.end(first)).toBeUndefined()
    const unknown = await store.start(1_000)
    expect(await store.ended([first, second, unknown])).toEqual(new Set([first, second]))
    expect([first, second]).not.toContain(unknown)
  })

  it('a writer that is forgotten has not ended, and one that was renewed is not forgotten', async () => {
    const id = await store.start(1_000)
    await store.renew(id, 2_000)
    await store.forget({ id, renewals: 0 })
    expect((await store.all()).some((writer) => writer.id === id)).toBe(true)
    await store.forget({ id, renewals: 1 })
    expect((await store.all()).some((writer) => writer.id === id)).toBe(false)
    expect(await store.ended([id])).toEqual(new Set())
    await expect(processes.db.write(commitBlob, newBlobKey(id), 1)).rejects.toThrow('whose lease has expired')
  })
})
