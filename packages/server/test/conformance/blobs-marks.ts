import { expect, it } from 'vitest'
import type { Blobs } from '../../src/ports/blobs/port.js'

/** Tests the marks of one adapter. */
export function marks(blobs: () => Blobs): void {
  it('a mark is missing until it is written, and is replaced by the next write', async () => {
    expect(await blobs().readMark('writer-1')).toBeUndefined()
    await blobs().writeMark('writer-1', '1')
    expect(await blobs().readMark('writer-1')).toBe('1')
    await blobs().writeMark('writer-1', '22')
    expect(await blobs().readMark('writer-1')).toBe('22')
  })

  it('a mark that exists is not created again', async () => {
    await blobs().createMark('writer-2', 'first')
    await blobs().createMark('writer-2', 'second')
    expect(await blobs().readMark('writer-2')).toBe('first')
  })

  it('of processes that create a mark at the same time, all read the same one', async () => {
    const names = Array.from({ length: 8 }, (_, i) => `process ${i}`)
    const read = await Promise.all(
      names.map(async (name) => {
        await blobs().createMark('owner', name)
        return blobs().readMark('owner')
      }),
    )
    expect(names).toContain(read[0])
    expect(new Set(read).size).toBe(1)
  })

  it('the list of objects has no marks', async () => {
    await blobs().writeMark('writer-3', 'x')
    for await (const { key } of blobs().list()) expect(key).toMatch(/^[0-9a-f]{32}-1$/)
  })
}
