import { expect, it, vi } from 'vitest'
import type { Database } from '../../../db/port.js'
import type { SecondariesOptions } from '../../../ports/dns/transfers/options.js'
import { secondaryHandlers } from './secondaries.js'

const keys = { byName: async () => undefined }

it('warns about a secondary whose key does not exist, and serves the others', async () => {
  const warn = vi.fn()
  const transfer = async () => undefined
  const handlers = await secondaryHandlers({
    database: {} as Database,
    dns: { serveSecondaries: ({ secondaries }) => (secondaries.length === 2 ? { transfer } : {}) },
    secondaries: [
      { address: '192.0.2.53', port: 53, key: 'ns2' },
      { address: '192.0.2.54', port: 53, key: undefined },
    ],
    catalog: 'catalog.invalid',
    keys,
    log: { warn },
  })
  expect(handlers).toEqual({ transfer })
  expect(warn.mock.calls).toEqual([
    [{ secondary: '192.0.2.53', key: 'ns2' }, expect.stringContaining('svc dns key add')],
  ])
})

it('has no handlers for an external provider, which has its own transfers', async () => {
  const log = { warn: vi.fn() }
  const parts = { database: {} as Database, secondaries: undefined, catalog: 'catalog.invalid', keys, log }
  expect(await secondaryHandlers({ ...parts, dns: {} })).toEqual({})
})

it('counts the transfers of a zone, and those that are refused', async () => {
  let options: SecondariesOptions | undefined
  const count = vi.fn()
  await secondaryHandlers({
    database: { one: async () => undefined, write: async () => 3 } as unknown as Database,
    dns: {
      serveSecondaries: (given) => {
        options = given
        return {}
      },
      queryCounts: { count, totals: () => [], take: () => [], zones: () => 0 },
    },
    secondaries: undefined,
    catalog: 'catalog.invalid',
    keys,
    log: { warn: vi.fn() },
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
