import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { startSite, type Site } from '../../../../test/site.js'
import { accountStore } from './store.js'

describe.each(databaseKinds)('accounts on %s', (kind) => {
  let site: Site
  beforeAll(async () => {
    site = await startSite(kind)
  })
  afterAll(() => site.stop())

  it('a new database has no accounts', async () => {
    expect(await site.app.hasAccounts()).toBe(false)
  })

  it('400 bad_request for a second account with the same email, and the first keeps its password', async () => {
    await site.account('only@example.com')
    const accounts = accountStore(site.app.database)
    const again = accounts.add({ email: 'only@example.com', nickname: 'Eve', passwordHash: 'x', now: 1 })
    await expect(again).rejects.toMatchObject({ code: 'bad_request' })
    expect((await accounts.byEmail('only@example.com'))?.nickname).toBe('')
    expect((await site.signIn('only@example.com')).status).toBe(200)
  })

  it('400 bad_request for all but one of the accounts that take an email at the same time', async () => {
    const accounts = accountStore(site.app.database)
    const four = await Promise.all([1, 2, 3, 4].map((n) => site.account(`race${n}@example.com`)))
    const given = { email: 'wanted@example.com', nickname: '', passwordHash: 'x', now: 1 }
    const results = await Promise.allSettled<unknown>([
      ...four.map((account) => accounts.setEmail(account, given.email)),
      accounts.add(given),
    ])
    const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
    const refusal = { code: 'bad_request', message: 'wanted@example.com already has an account.' }
    expect(reasons).toEqual(Array.from({ length: 4 }, () => expect.objectContaining(refusal)))
  })

  it('an account that is removed right after its creation leaves its email free', async () => {
    const accounts = accountStore(site.app.database)
    const given = { email: 'brief@example.com', nickname: '', passwordHash: 'x', now: 1 }
    await accounts.removeAdded(await accounts.add(given))
    expect(await accounts.byEmail(given.email)).toBeUndefined()
    expect((await accounts.add(given)).email).toBe(given.email)
  })

  it('finds no account for an unknown email', async () => {
    expect(await accountStore(site.app.database).byEmail('nobody@example.com')).toBeUndefined()
  })
})
