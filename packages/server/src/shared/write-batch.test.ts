import { expect, it } from 'vitest'
import { WriteBatch, type Batch } from './write-batch.js'

const sum = (earlier: number, later: number) => earlier + later

function batchWith(write: (batch: Batch<number>) => Promise<void>) {
  return new WriteBatch<number>(write, sum)
}

it('writes the merged value of each key once, in one call', async () => {
  const written: Batch<number>[] = []
  const batch = batchWith(async (values) => void written.push(values))
  batch.add(1, 10)
  batch.add(2, 5)
  batch.add(1, 1)
  expect([batch.has(1), batch.has(3)]).toEqual([true, false])
  await batch.flush()
  expect(written).toEqual([
    [
      [1, 11],
      [2, 5],
    ],
  ])
  expect(batch.has(1)).toBe(false)
})

it('writes nothing without values', async () => {
  let writes = 0
  const batch = batchWith(async () => {
    writes++
  })
  await batch.flush()
  expect(writes).toBe(0)
})

it('keeps the values of a failed write and merges later ones', async () => {
  const written: Batch<number>[] = []
  let fail: (error: Error) => void = () => undefined
  const batch = batchWith((values) => {
    written.push(values)
    return written.length === 1 ? new Promise((_, reject) => (fail = reject)) : Promise.resolve()
  })
  batch.add(1, 10)
  batch.add(2, 5)
  const failing = batch.flush()
  batch.add(1, 1)
  batch.add(3, 7)
  fail(new Error('the disk is full'))
  await expect(failing).rejects.toThrow('the disk is full')
  await batch.flush()
  expect(written[1]).toEqual([
    [1, 11],
    [2, 5],
    [3, 7],
  ])
})
