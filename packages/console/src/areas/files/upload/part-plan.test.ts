import { uploadPartsMax } from '@svc/contract'
import { expect, it } from 'vitest'
import { PartPlan, partBytesAt } from './part-plan.js'
import { SpeedMeter } from './speed-meter.js'
import { formatRemaining } from '../upload-progress.js'

/** Parts of uploads, by the speed of the line. */

const kibibyte = 2 ** 10
const mebibyte = 2 ** 20

it.each([
  ['an unknown line', undefined, mebibyte],
  ['a slow line', 10 * kibibyte, 256 * kibibyte],
  ['a usual line', 2 * mebibyte, 4 * mebibyte],
  ['a fast line', 500 * mebibyte, 32 * mebibyte],
])('the parts of %s take about two seconds within limits', (_, speed, bytes) => {
  expect(partBytesAt(speed)).toBe(bytes)
})

it.each([
  ['10 GB', 10e9, 10 * kibibyte],
  ['1 TB', 1e12, mebibyte],
  ['the largest of the smallest parts', uploadPartsMax * 256 * kibibyte, 1],
  ['3 MiB and a byte', 3 * mebibyte + 1, mebibyte],
])('%s fits into the parts of an upload, without gaps', (_, size, speed) => {
  const plan = new PartPlan(size)
  let end = 0
  for (let part = plan.take(speed); part !== undefined; part = plan.take(speed)) {
    expect(part.start).toBe(end)
    end = part.end
    plan.confirm([part.index])
    plan.release(part)
  }
  expect(end).toBe(size)
  expect(plan.sentBytes).toBe(size)
  expect(plan.count).toBeLessThanOrEqual(uploadPartsMax)
})

it('a lost part comes again before a new one, unless an answer lists it', () => {
  const plan = new PartPlan(10 * mebibyte)
  const [first, second] = [plan.take(undefined), plan.take(undefined)]
  if (first === undefined || second === undefined) throw new Error('no part')
  plan.release(first)
  plan.release(second)
  expect(plan.take(undefined)).toEqual(first)
  plan.confirm([1])
  expect(plan.take(undefined)).toMatchObject({ index: 2 })
  expect(plan.sentBytes).toBe(mebibyte)
})

it('the speed is that of the last 20 seconds, and begins anew after a pause', () => {
  const meter = new SpeedMeter()
  meter.start(0)
  expect(meter.at(500)).toBeUndefined()
  meter.add(1000, 1000)
  expect(meter.at(1000)).toBe(1000)
  meter.add(4000, 21_500)
  expect(meter.at(21_500)).toBe(200)
  meter.start(30_000)
  expect(meter.at(31_000)).toBeUndefined()
})

it.each([
  [0.2, '1 s left'],
  [89, '89 s left'],
  [600, '10 min left'],
  [9000, '2.5 h left'],
])('%d seconds read %s', (seconds, text) => {
  expect(formatRemaining(seconds)).toBe(text)
})
