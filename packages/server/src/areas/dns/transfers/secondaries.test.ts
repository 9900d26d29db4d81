import { expect, it, vi } from 'vitest'
import type { Database } from '../../../db/port.js'
import type { AccountSecondaries, SecondariesOptions } from '../../../ports/dns/transfers/options.js'
import { secondaryHandlers } from './secondaries.js'

const keys = { byName: async () => undefined }
const accounts = {} as AccountSecondaries

it('has no handlers for an external provider, which has its own transfers', () => {
  const parts = { database: {} as Database, secondaries: undefined, accounts, catalog: 'catalog.invalid', keys }
  expect(secondaryHandlers({ ...parts, dns: {} })).toEqual({})
})

it('counts the transfers of a zone, and those that are refused', async () => {
  let options: SecondariesOptions | undefined
  const count = vi.fn()
  secondaryHandlers({
    database: { one: async () => undefined, write: async () => 3 } as unknown as Database,
    dns: {
      serveSecondaries: (given) => {
        options = given
        return {}
      },
      queryCounts: { count, totals: () => [], take: () => [], zones: () => 0 },
    },
    secondaries: undefined,
    accounts,
    catalog: 'catalog.invalid',
    keys,
  })
  options?.count?.notify('answered')
  for (const kind of ['axfr', 'ixfr', 'current', 'refused', 'failed'] as const)
    options?.count?.transfer(kind, 'example.test', 'tcp')
  expect(count.mock.calls.map(([, counted]) => counted as string)).toEqual([
    'transfers',
    'transfers',
    'transfers',
    'refused',
  ])
  expect(await options?.catalog.serialOf('digest')).toBe(3)
  expect(await options?.keyOf('ns2')).toBeUndefined()
})
