import { expect, it, vi } from 'vitest'
import type { ZoneCounts } from '../../../ports/dns/query-counts.js'
import { countSaving } from './save-counts.js'

const signal = new AbortController().signal

function saving() {
  let counted: ZoneCounts[] = []
  const add = vi.fn<(counts: readonly ZoneCounts[]) => Promise<void>>(() => Promise.resolve())
  const warn = vi.fn()
  const take = () => counted.splice(0)
  const { job, close } = countSaving({ take }, { add }, { warn })
  return { job, close, add, warn, count: (...counts: ZoneCounts[]) => (counted = counts) }
}

const of = (holder: number, ...counts: number[]): ZoneCounts => ({ zone: 'shop.test', holder, counts })

it('writes nothing without queries, and each count once', async () => {
  const { job, add, count } = saving()
  await job.run(signal)
  expect(add).not.toHaveBeenCalled()
  count(of(7, 1, 2))
  await job.run(signal)
  await job.run(signal)
  expect(add.mock.calls).toEqual([[[of(7, 1, 2)]]])
})

it('keeps the counts of a failed write, apart for each holder', async () => {
  const { job, add, count } = saving()
  add.mockRejectedValueOnce(new Error('the disk is full'))
  count(of(7, 1, 2))
  await expect(job.run(signal)).rejects.toThrow('the disk is full')
  count(of(7, 10, 20), of(8, 5, 5))
  await job.run(signal)
  expect(add).toHaveBeenLastCalledWith([of(7, 11, 22), of(8, 5, 5)])
})

it('writes the last counts at the stop, and logs if that fails', async () => {
  const { close, add, warn, count } = saving()
  count(of(7, 1))
  await close()
  expect(add).toHaveBeenCalledOnce()
  add.mockRejectedValueOnce(new Error('the disk is full'))
  count(of(7, 1))
  await close()
  expect(warn).toHaveBeenCalledWith(
    { err: new Error('the disk is full') },
    'the counts of the queries for zones could not be saved',
  )
})
