import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { siteStorage, type SiteStorage } from '../../../../test/site-storage.js'
import { keyedMutex, LockTimeout } from '../../../db/keyed-mutex.js'
import type { Account } from '../../../shared/account.js'
import type { HostRecord, HostRecords, HostTarget } from '../../../shared/host-records.js'
import { domainHandlers, domainsRemoval } from './handlers.js'
import { domainStore } from './store.js'

/** Changes of one domain at the same time, on a real database, with a zone in memory that can wait and fail. */

const down = new Error('The provider failed.')
const host = 'www.ada.com'
const caller = (account: Account) => ({ account }) as never

describe.each(databaseKinds)('changes of a domain at the same time on %s', (kind) => {
  let site: SiteStorage
  let account: Account
  beforeAll(async () => {
    site = await siteStorage(kind)
    account = site.people[0] as Account
    await site.sql(
      `insert into dns_claim (account_id, zone, status, method, created_at) values (${account.id}, 'ada.com', 'verified', 'txt', 0)`,
    )
  })
  afterAll(() => site.stop())

  let zone: HostRecord[]
  let nextId = 1
  /** Runs before and after the creation of records, and before their removal. */
  let before: () => Promise<unknown>
  let after: () => Promise<unknown>
  let beforeRemoval: () => Promise<unknown>
  const nothing = () => Promise.resolve()
  beforeEach(async () => {
    zone = []
    before = after = beforeRemoval = nothing
    await site.deploy(account, 'docs', { a: 'a' })
    await site.sql('delete from site_domain')
  })
  const once = (work: () => Promise<unknown>) => {
    let isDone = false
    return () => {
      if (isDone) return nothing()
      isDone = true
      return work()
    }
  }

  const has = ({ value }: HostTarget) => zone.some((record) => record.value === value)
  const hostRecords: HostRecords = {
    requireAllowed: () => undefined,
    missing: (_account, _zone, _host, targets) => Promise.resolve(targets.filter((target) => !has(target))),
    async create(_account, _zone, _host, targets) {
      await before()
      const created = targets.filter((target) => !has(target)).map((target) => ({ ...target, id: nextId++ }))
      zone.push(...created)
      const records = [...zone]
      await after()
      return { records, created }
    },
    async remove(_account, _zone, _host, targets) {
      await beforeRemoval()
      zone = zone.filter(({ value }) => !targets.some((target) => target.value === value))
    },
  }
  const parts = (withHost = keyedMutex()) => ({
    domains: domainStore(site.db),
    hostRecords,
    changed: () => undefined,
    withHost,
    names: { sitesDomain: 'sites.example', hosts: [] },
    addresses: [],
  })
  const add = () => domainHandlers(parts()).domainAdd({ body: { name: 'docs', host } } as never, caller(account))
  const remove = async () => domainHandlers(parts()).domainRemove({ body: { host } } as never, caller(account))
  const rows = async () => (await site.sql('select host from site_domain')).length

  it('a failed addition leaves nothing, and the first error is the answer', async () => {
    after = () => Promise.reject(down)
    await expect(add()).rejects.toBe(down)
    expect([zone, await rows()]).toEqual([[], 0])
  })

  it('an addition whose records cannot be removed leaves a domain that can be removed', async () => {
    after = () => Promise.reject(down)
    beforeRemoval = () => Promise.reject(new Error('The removal failed too.'))
    await expect(add()).rejects.toBe(down)
    expect([zone.length, await rows()]).toEqual([1, 1])
    beforeRemoval = nothing
    await remove()
    expect([zone, await rows()]).toEqual([[], 0])
  })

  it('a failed addition leaves the domain that another request has added', async () => {
    before = once(async () => {
      await add()
      throw down
    })
    await expect(add()).rejects.toBe(down)
    expect([zone.length, await rows()]).toEqual([1, 1])
  })

  it('an addition during which the domain is removed leaves no record', async () => {
    before = once(async () => remove())
    await expect(add()).rejects.toThrow('www.ada.com or its site was removed at the same time: add it again.')
    expect([zone, await rows()]).toEqual([[], 0])
  })

  it('an addition during which another process removes the domain and its record leaves no record', async () => {
    zone = [{ type: 'CNAME', value: 'docs.sites.example', id: nextId++ }]
    before = once(async () => remove())
    await expect(add()).rejects.toThrow('www.ada.com or its site was removed at the same time: add it again.')
    expect([zone, await rows()]).toEqual([[], 0])
  })

  it('a removal during which the domain is added again removes the new record too', async () => {
    await add()
    beforeRemoval = once(async () => {
      zone = []
      await add()
    })
    await remove()
    expect([zone, await rows()]).toEqual([[], 0])
  })

  it('in one process, additions and removals at once leave a record if and only if the domain is left', async () => {
    const { domainAdd, domainRemove } = domainHandlers(parts(keyedMutex()))
    for (let round = 0; round < 12; round++) {
      const body = { name: 'docs', host }
      const changes = Array.from({ length: 6 }, async (_, n) => {
        if (n % 2 === round % 2) await domainAdd({ body } as never, caller(account))
        else await domainRemove({ body: { host } } as never, caller(account))
      })
      for (const outcome of await Promise.allSettled(changes))
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'not_found' })
      expect(zone.length).toBe(await rows())
    }
  })

  it('502 upstream_error for a change that waits too long for another of its host', async () => {
    const late = () => Promise.reject(new LockTimeout(host, 10_000))
    const answer = domainHandlers(parts(late)).domainAdd({ body: { name: 'docs', host } } as never, caller(account))
    await expect(answer).rejects.toMatchObject({
      code: 'upstream_error',
      message: `Earlier changes of ${host} took too long. Repeat the request.`,
    })
  })

  it('a site that gets a domain while it is deleted is kept, and can be deleted again', async () => {
    await domainsRemoval(parts())(account, 'docs')
    await add()
    await expect(site.sites.remove(account, 'docs')).rejects.toMatchObject({
      code: 'bad_request',
      message: 'The site got the domain www.ada.com at the same time: delete the site again.',
    })
    await domainsRemoval(parts())(account, 'docs')
    await site.sites.remove(account, 'docs')
    expect([zone, await rows()]).toEqual([[], 0])
  })
})
