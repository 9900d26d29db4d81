import { expect, it } from 'vitest'
import { pickStartable } from './delivery-limits.js'

const none = { free: 64, hosts: new Map<string, number>(), accounts: new Map<number, number>() }

it('begins 64 deliveries, of them 4 of an account and 2 to a host', () => {
  const due = Array.from({ length: 20 * 10 }, (_, n) => ({
    accountId: Math.floor(n / 10),
    host: `${String(Math.floor(n / 10))} ${String(Math.floor((n % 10) / 5))}`,
  }))
  const picked = pickStartable(due, none)
  expect(picked).toHaveLength(64)
  expect(picked.slice(0, 4).map(({ host }) => host)).toEqual(['0 0', '0 0', '0 1', '0 1'])
  expect(picked.filter(({ accountId }) => accountId === 0)).toHaveLength(4)
})

it('counts running deliveries', () => {
  const due = [
    { accountId: 1, host: 'a' },
    { accountId: 1, host: 'b' },
    { accountId: 2, host: 'a' },
    { accountId: 2, host: 'b' },
  ]
  const underWay = { free: 2, hosts: new Map([['a', 2]]), accounts: new Map([[1, 3]]) }
  expect(pickStartable(due, underWay)).toEqual([due[1], due[3]])
  expect(pickStartable(due, { ...underWay, free: 1 })).toEqual([due[1]])
})
