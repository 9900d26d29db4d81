import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { certificateStore } from '../../ports/certificates/acme/certificate-store.js'
import { openVault } from '../../ports/vault/envelope-vault.js'
import { eventReader } from '../../../test/account-events.js'
import { closedServer, databaseKinds } from '../../../test/app.js'
import { issueCertificate } from '../../../test/certificates.js'
import { startDomains, type Domains } from '../../../test/domain-site.js'
import { runSql } from '../../../test/site.js'
import { twoProcesses, type TwoProcesses } from '../../../test/two-processes.js'
import { dataOf } from '../../../test/zone-site.js'
import { eventStore } from '../../journal/events.js'
import { MasterKey } from '../../shared/master-key.js'

const acme = {
  directoryUrl: `https://${closedServer}/dir`,
  email: undefined,
  profile: undefined,
  externalAccount: undefined,
}
const passphrase = 'canary horse battery'
const zone = 'shop.com'
const names = [`*.${zone}`, zone]

describe.each(databaseKinds)('the events of certificates on %s', (kind) => {
  let domains: Domains
  let events: Awaited<ReturnType<typeof eventReader>>
  beforeAll(async () => {
    domains = await startDomains(kind, { acme, certificateOrders: { accountOrders: 50, domainOrders: 9 } })
    await domains.zones.claim('ada', zone)
    events = await eventReader(domains.zones.site, domains.zones.accounts.ada)
  })
  afterAll(() => domains.zones.stop())

  const call = (method: string, path: string, body: object) =>
    domains.zones.site.call(method, `/v1/tls/certificates${path}`, { token: domains.zones.tokens.ada, body })
  /** Without those of the server, whose orders fail. */
  const actions = async () => (await events.actions()).filter(({ action }) => action !== 'certificate_fail')
  const noFields = { before: null, after: null }

  it('show orders, requests, downloads of the key and what the CA has issued, without keys and passphrases', async () => {
    await call('POST', '', { zone })
    await call('POST', '', { zone })
    expect(await actions()).toEqual([{ action: 'certificate_order', object: zone, ...noFields }])
    expect((await call('POST', '/key', { zone, passphrase })).status).toBe(404)
    expect(await actions()).toEqual([])
    const { database } = domains.zones.site.app
    for (let i = 0; i < 2; i++) await issueCertificate(database, domains.zones.accounts.ada, names)
    await domains.zones.site.sql('update certificate set leased_until = 0')
    const { private_key: key } = dataOf(await call('POST', '/key', { zone, passphrase }))
    dataOf(await call('POST', '/renew', { zone }))
    dataOf(await call('POST', '/delete', { zone }))
    expect((await call('POST', '/delete', { zone })).status).toBe(404)
    const issued = { object: zone, before: null, after: { domains: names, not_after: expect.stringMatching(/Z$/) } }
    expect(await actions()).toEqual([
      { action: 'certificate_issue', ...issued },
      { action: 'certificate_renew', ...issued },
      { action: 'key_download', object: zone, ...noFields },
      { action: 'renewal_request', object: zone, ...noFields },
      { action: 'certificate_delete', object: zone, ...noFields },
    ])
    const rows = JSON.stringify(await domains.zones.site.sql('select * from account_event'))
    for (const canary of ['canary', 'PRIVATE KEY', 'BEGIN CERTIFICATE', String(key).split('\n')[1]!])
      expect(rows).not.toContain(canary)
    const other = await eventReader(domains.zones.site, domains.zones.accounts.bob)
    expect(await other.all('?area=tls')).toEqual([])
  })
})

describe.each(databaseKinds)('orders of certificates that fail on %s', (kind) => {
  let place: TwoProcesses
  beforeAll(async () => {
    place = await twoProcesses(kind)
  })
  afterAll(() => place.stop())

  it('are one event for the first of several failures, and none of a process whose lease is over', async () => {
    const account = place.people[0]!
    await runSql(
      place.config,
      `insert into certificate (account_id, zone, names, created_at, next_at, failures, wanted)
        values (${String(account.id)}, '${zone}', '["x.${zone}"]', 1, 1, 0, 1)`,
    )
    const [row] = await runSql(place.config, 'select id from certificate')
    const store = certificateStore(place.db, await openVault({ kind: 'setting', key: MasterKey.random() }, place.db))
    const lease = { id: Number(row!['id']), leasedUntil: 0 }
    const failure = { now: 5, nextAt: 1e15, failures: 1 }
    await store.fail({ ...lease, leasedUntil: 1 }, failure, 'too late')
    await store.fail(lease, failure, 'The CA is down.')
    await store.fail(lease, failure, 'The CA is still down.')
    // The row of an account that has been deleted.
    await store.fail({ ...lease, id: 999_999 }, failure, 'gone')
    const everything = { area: 'tls', object: undefined, token: undefined } as const
    const { events } = await eventStore(place.db).page(account, everything, { limit: 10, before: 1e9 })
    expect(events).toMatchObject([
      {
        ...{ action: 'certificate_fail', object: zone, actorName: 'ACME', kind: 'protocol' },
        after: JSON.stringify({ domains: [`x.${zone}`], error: 'The CA is down.' }),
      },
    ])
  })
})
