import { describe, expect, it, vi } from 'vitest'
import { commitCache } from './commit-cache.js'

/** Counts what is looked up. */
function counted(commitNumber: () => number | undefined, rows: Map<string, number>) {
  const asked: string[] = []
  const get = commitCache<string, number>({ commitNumber }, async (keys) => {
    asked.push(...keys)
    return new Map(keys.flatMap((key) => (rows.has(key) ? [[key, rows.get(key)!]] : [])))
  })
  return { get, asked }
}

describe('a cache of rows that other processes change', () => {
  it('on SQLite, a row is read again after a commit, and an unknown one too', async () => {
    let commit = 1
    const rows = new Map([['a', 1]])
    const { get, asked } = counted(() => commit, rows)
    expect([await get('a'), await get('a'), await get('b'), await get('b')]).toEqual([1, 1, undefined, undefined])
    expect(asked).toEqual(['a', 'b'])
    rows.delete('a')
    rows.set('b', 2)
    commit++
    expect([await get('a'), await get('b')]).toEqual([undefined, 2])
    expect(asked).toHaveLength(4)
  })

  it('on SQLite, a row that was read before a commit is not kept after it', async () => {
    let commit = 1
    const rows = new Map([['a', 1]])
    const { get } = counted(() => commit, rows)
    const before = get('a')
    commit++
    await get('b')
    await before
    rows.set('a', 2)
    expect(await get('a')).toBe(2)
  })

  it('on PostgreSQL, each call reads, and calls that arrive together share a query', async () => {
    const rows = new Map([['a', 1]])
    const { get, asked } = counted(() => undefined, rows)
    expect(await get('a')).toBe(1)
    rows.set('a', 2)
    expect(await Promise.all([get('a'), get('a'), get('a')])).toEqual([2, 2, 2])
    expect(asked.length).toBeLessThan(4)
  })

  it('on PostgreSQL, an unknown row is asked for once in a second', async () => {
    const rows = new Map<string, number>()
    const { get, asked } = counted(() => undefined, rows)
    for (let n = 0; n < 5; n++) expect(await get('a')).toBeUndefined()
    expect(asked).toEqual(['a'])
    rows.set('a', 1)
    await vi.waitFor(async () => expect(await get('a')).toBe(1), { timeout: 5_000 })
  })
})
