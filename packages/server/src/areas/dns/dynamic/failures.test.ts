import { ApiError } from '@svc/contract/errors'
import { describe, expect, it, vi } from 'vitest'
import { operatorActor } from '../../../shared/actor.js'
import type { Account } from '../../../shared/account.js'
import type { EndpointRequest } from '../../../http/area.js'
import type { KnownHost } from './known-hosts.js'
import { updateRoutes } from './routes.js'
import { addressUpdater } from './update-addresses.js'

/** What clients get when something of the server fails. */

const none = { count: 0, value: undefined, ttl: undefined }
const known: KnownHost = { zone: 'example.com', host: 'home', A: none, AAAA: none }
const account: Account = {
  ...{ id: 1, email: 'ada@example.com', nickname: '', createdAt: 0, limits: {} },
  actor: operatorActor('test'),
}
const names = ['home.example.com', 'home.example.net']

const updater = (failure: Error, more: object = {}) => {
  const report = vi.fn()
  const applyChanges = vi.fn(() => Promise.reject(failure))
  const update = addressUpdater({
    hosts: { find: async () => new Map(names.map((name) => [name, { ...known, zone: name.slice('home.'.length) }])) },
    publisher: { applyChanges },
    isWithinLimit: () => true,
    requireSpace: () => undefined,
    report,
    ...more,
  })
  return {
    report,
    applyChanges,
    outcomes: async () => [...(await update(account, 1, names, { A: '192.0.2.1' })).values()],
  }
}

describe('failures of updates', () => {
  it('dnserr for a nameserver that fails, which is not asked again for the next zone', async () => {
    const { outcomes, report, applyChanges } = updater(new ApiError('upstream_error', 'The DNS provider failed.'))
    expect(await outcomes()).toEqual(['dnserr', 'dnserr'])
    expect(report).not.toHaveBeenCalled()
    expect(applyChanges).toHaveBeenCalledTimes(1)
  })

  it('911 for a database that fails, which is reported', async () => {
    const failure = new Error('the database is gone')
    const { outcomes, report } = updater(failure)
    expect(await outcomes()).toEqual(['911', '911'])
    expect(report).toHaveBeenCalledWith(failure)
    const reading = updater(failure, { hosts: { find: () => Promise.reject(failure) } })
    expect(await reading.outcomes()).toEqual(['911', '911'])
    expect(reading.report).toHaveBeenCalledWith(failure)
  })

  it('911 for a full disk, before anything is written', async () => {
    const full = new Error('the disk is full')
    const { outcomes, report } = updater(new Error('written'), {
      requireSpace: () => {
        throw full
      },
    })
    expect(await outcomes()).toEqual(['911', '911'])
    expect(report).toHaveBeenCalledWith(full)
  })

  it('500 911 if the credentials cannot be checked', async () => {
    const failure = new Error('the database is gone')
    const report = vi.fn()
    const [route] = updateRoutes({
      update: () => Promise.reject(failure),
      authenticateToken: () => Promise.reject(failure),
      authenticateUpdateKey: () => Promise.reject(failure),
      report,
    })
    const authorization = `Basic ${Buffer.from(`a:svc_${'0'.repeat(32)}`).toString('base64')}`
    const request = { header: () => undefined, rawHeaders: ['Authorization', authorization] }
    expect(await route?.answer(request as unknown as EndpointRequest)).toMatchObject({ status: 500, body: '911\n' })
    expect(report).toHaveBeenCalledWith(failure)
  })
})
