import { ApiError } from '@svc/contract/errors'
import { expect, it, vi } from 'vitest'
import { queryHandlers } from './handlers.js'

/** With PowerDNS, which counts itself. */
const unread = () => Promise.reject(new Error('read'))
const queryCounts = { add: unread, days: unread, hours: unread }

type Context = Parameters<ReturnType<typeof queryHandlers>['zoneQueries']>[1]

it('says that PowerDNS has the figures, and reads none', async () => {
  const requireVerified = vi.fn(() => Promise.resolve())
  const { zoneQueries } = queryHandlers({ queryCounts, requireVerified, isCounting: false })
  const context = { account: { id: 7 } } as unknown as Context
  expect(await zoneQueries({ params: { zone: 'Shop.test' }, query: {}, body: {} }, context)).toEqual({
    zone: 'shop.test',
    counted_by: 'powerdns',
    days: [],
    hours: [],
  })
  requireVerified.mockRejectedValueOnce(new ApiError('forbidden_zone', 'shop.test is not yours.'))
  await expect(zoneQueries({ params: { zone: 'shop.test' }, query: {}, body: {} }, context)).rejects.toMatchObject({
    code: 'forbidden_zone',
  })
})
