import { expect, it } from 'vitest'
import { DeliveryTurns } from './delivery-turns.js'

/** Due deliveries: webhooks by account and host. */
function turnsOf(due: readonly (readonly [host: string, accountId: number, webhookId: number])[]) {
  const first = (found: readonly number[], after: number): Promise<number | undefined> =>
    Promise.resolve(found.toSorted((a, b) => a - b).find((id) => id > after))
  return new DeliveryTurns({
    nextAccount: ({ host, after, busyAccounts }) =>
      first(
        due.flatMap(([at, account]) => (at === host && !busyAccounts.includes(account) ? [account] : [])),
        after,
      ),
    nextWebhook: ({ host, accountId, after }) =>
      first(
        due.flatMap(([at, account, webhook]) => (at === host && account === accountId ? [webhook] : [])),
        after,
      ),
  })
}

const idle = { free: 64, hosts: new Map<string, number>(), accounts: new Map<number, number>() }

it('takes turns between the accounts of a host, and between the webhooks of an account', async () => {
  const turns = turnsOf([
    ['a', 1, 11],
    ['a', 1, 12],
    ['a', 1, 13],
    ['a', 2, 21],
    ['a', 3, 31],
    ['a', 3, 32],
  ])
  const picked: number[] = []
  for (let n = 0; n < 9; n++) picked.push((await turns.pick(['a'], idle, 0))[0]!.webhookId)
  expect(picked).toEqual([11, 21, 31, 12, 21, 32, 13, 21, 31])
})

it('picks one webhook for each host, up to the free places and the limit of an account', async () => {
  const hosts = ['a', 'b', 'c', 'd', 'e', 'f']
  const turns = turnsOf([...hosts.map((host) => [host, 1, 11] as const), ['f', 2, 21]])
  const picked = await turns.pick(hosts, idle, 0)
  expect(picked.map(({ host, accountId }) => [host, accountId])).toEqual([
    ...['a', 'b', 'c', 'd'].map((host) => [host, 1]),
    ['f', 2],
  ])
  expect(await turns.pick(hosts, { ...idle, free: 2 }, 0)).toHaveLength(2)
  expect(await turns.pick(['none'], idle, 0)).toEqual([])
})

it('leaves out an account whose deliveries another process has claimed meanwhile', async () => {
  const turns = new DeliveryTurns({
    nextAccount: () => Promise.resolve(1),
    nextWebhook: () => Promise.resolve(undefined),
  })
  expect(await turns.pick(['a'], idle, 0)).toEqual([])
})
