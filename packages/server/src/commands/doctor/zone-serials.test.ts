import { expect, it } from 'vitest'
import { lagOf } from './zone-serials.js'

const served = (...serials: number[]) =>
  serials.map((serial, at) => ({ server: `ns${String(at + 1)}`, serial, primary: 'ns1' }))

it.each<[string, number[], number | undefined, object | undefined]>([
  ['all have the serial of svc', [7, 7], 7, undefined],
  ['all are behind svc, with one serial', [5, 5], 7, { newest: 7, behind: served(5, 5) }],
  ['one is behind, and the serial of svc is not known', [7, 5], undefined, { newest: 7, behind: [served(7, 5)[1]] }],
  ['one has a change that svc was not asked for yet', [8, 7], 7, { newest: 8, behind: [served(8, 7)[1]] }],
])('%s', (_, serials, ours, lag) => {
  expect(lagOf(served(...serials), ours)).toEqual(lag)
})
