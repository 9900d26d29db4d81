import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { dnsStores } from '../src/areas/dns/stores.js'
import { afterCommit } from '../src/areas/dns/publishing/after-commit.js'
import { removalLock } from '../src/app/account-removal/remove-account.js'
import { deleteAccount, deleteUser } from '../src/commands/user-delete.js'
import { showUser } from '../src/commands/user-show.js'
import { readConfig } from '../src/config/config.js'
import { countAccountRows } from '../src/app/account-rows-store.js'
import { tables } from '../src/app/tables.js'
import { zoneOutcomes } from '../src/ports/dns/query-counts.js'
import { selectBlobs } from '../src/ports/blobs/select.js'
import { databaseKinds } from './app.js'
import { ask } from './dns-ask.js'
import { fillAccount, type FullAccount } from './full-account.js'
import { send } from './raw-http.js'
import { getPage } from './site-host.js'
import { startSite, type Site } from './site.js'
import { dnsSettings } from './zone-site.js'

/** `svc user delete`, beside a running server. */

/** Columns that jobs of the server change. */
const changing = [
  ...[
    'last_used_at',
    'last_used_network',
    'last_seen_at',
    'due_at',
    'failures',
    'attempts',
    'last_error',
    'state',
    'updated_at',
  ],
  ...['recorded', 'failing_since'],
]

/**
 * The deliverer adds attempts to the webhook of another account, and counts them: only those of no webhook are left over. The tests sign in to
 * another account: only events of no account are left over.
 */
const conditions: Readonly<Record<string, string>> = {
  webhook_attempt: 'where deployment_id not in (select id from deployment)',
  deployment_use_hour: 'where deployment_id not in (select id from deployment)',
  account_event: `where coalesce(action, '') not in ('sign_in', 'sign_out') or account_id not in (select id from account)`,
}

/** As the server counts days: older ones are removed. */
const today = String(Math.floor(Date.now() / 86_400_000))

/** Counts of queries: the nameserver writes them once a minute. */
const countsByTable = [
  { table: 'dns_query_day', columns: 'day', values: today },
  { table: 'dns_query_hour', columns: 'day, hour', values: `${today}, 5` },
]

const ofAccounts = Object.entries(tables).flatMap(([table, { ownership }]) =>
  ownership.by === 'installation' ? [] : [table],
)

describe.each(databaseKinds)('on %s', (kind) => {
  let site: Site
  let bob: FullAccount
  let ofBob: unknown
  let objectsOfBob: string[]
  beforeAll(async () => {
    site = await startSite(kind, {
      dns: dnsSettings([]),
      sitesAddresses: ['192.0.2.9'],
      outboundAllow: ['127.0.0.1/32'],
    })
    bob = await fullAccount('bob')
    ofBob = await rows()
    objectsOfBob = (await site.objects()).toSorted()
  })
  afterAll(() => site.stop())

  async function fullAccount(name: string): Promise<FullAccount> {
    const full = await fillAccount(site, site.database, await site.account(`${name}@example.com`), name)
    // After the first attempt, whose row is stored last, the deliverer would make another one while the rows are counted.
    const untried = `select count(*) as n from webhook_delivery where attempts = 0
      or (select count(*) from webhook_attempt as one where one.deployment_id = webhook_delivery.deployment_id) < 2`
    await vi.waitFor(async () => expect(Number((await site.sql(untried))[0]?.['n'])).toBe(0), 30_000)
    await site.sql('update webhook_delivery set due_at = 9000000000000 where due_at is not null')
    // No request of the holder makes such a row.
    await site.sql(`insert into dns_former_holder (account_id, zone_id)
      select ${String(full.account.id)}, id from dns_zone where name = '${full.zone}'`)
    await site.sql(`insert into dns_secondary (account_id, token_id, address, port, created_at)
      select account_id, min(id), '9.9.9.9', 53, 1 from token where account_id = ${String(full.account.id)} group by account_id`)
    const counted = countsByTable.map(({ table, columns, values }) =>
      site.sql(`insert into ${table} (zone_id, account_id, ${columns}, ${zoneOutcomes.join()})
        select id, ${String(full.account.id)}, ${values}, ${zoneOutcomes.map(() => 1).join()} from dns_zone where name = '${full.zone}'`),
    )
    await Promise.all(counted)
    return full
  }

  const config = () => ({
    ...readConfig({ env: { SVC_DATA: '/nonexistent' } }),
    database: site.database,
    dns: dnsSettings([]),
    blobs: site.blobs,
  })

  /** The rows of all accounts, by table. Deleted zones, and slugs of deleted accounts, belong to none. */
  async function rows(): Promise<unknown> {
    const tables = []
    for (const table of ofAccounts) {
      // The job that purges copies at the edge removes its rows, within five seconds.
      if (table === 'edge_purge') continue
      const found = await site.sql(`select * from ${table} ${conditions[table] ?? ''}`)
      const kept = found.filter((row) =>
        table === 'dns_zone' ? row['deleted_at'] === null : row['account_id'] !== null,
      )
      const text = (row: object) => JSON.stringify(row, (key, value: unknown) => (changing.includes(key) ? '' : value))
      tables.push([table, kept.map(text).toSorted()])
    }
    return tables
  }

  async function expectGone({ account, token, zone, sharePath, siteName, siteDomain }: FullAccount): Promise<void> {
    expect(await rows()).toEqual(ofBob)
    await expect.poll(async () => (await site.objects()).toSorted()).toEqual(objectsOfBob)
    await expect.poll(async () => (await ask(site.dnsPort, zone, 'A')).rcode).toBe('REFUSED')
    expect((await send(site.url, 'GET', sharePath, { headers: { host: 'content.localhost' } })).status).toBe(404)
    for (const host of [`${siteName}.localhost`, siteDomain])
      await expect.poll(async () => (await getPage(site.url, host, '/')).status).toBe(404)
    expect((await site.call('GET', '/v1/account/me', { token })).status).toBe(401)
    expect((await site.signIn(account.email)).status).toBe(401)
  }

  it('deletes an account with something in every table, and nothing of another account', async () => {
    const ada = await fullAccount('ada')
    const counts = await countAccountRows(site.app.database, ada.account.id)
    const filled = new Set(['account', 'edge_purge', ...counts.keys()])
    expect(ofAccounts.filter((table) => !filled.has(table))).toEqual([])
    const shown = await showUser(config(), ada.account.email)
    expect(shown).toMatchObject({
      email: 'ada@example.com',
      zones: [
        { zone: 'ada.com', status: 'verified' },
        { zone: 'ada.org', status: 'verified' },
        { zone: 'released-ada.com', status: 'released' },
      ],
    })
    expect(shown.rows).toEqual(Object.fromEntries(counts))
    expect(shown.storage.files).toEqual({ bytes: 300_010, max: 100_000_000_000 })

    const refusal = deleteUser(config(), ada.account.email, { confirm: () => Promise.reject(new Error('no')) })
    await expect(refusal).rejects.toThrow('no')
    expect((await site.call('GET', '/v1/account/me', { token: ada.token })).status).toBe(200)
    expect(await deleteUser(config(), ada.account.email, { confirm: () => Promise.resolve() })).toMatchObject({
      notes: [],
    })
    await expectGone(ada)
    const body = { slug: 'kept-ada', version: '2.0.0', artifacts: [{ name: 'a.txt', content: 'aGVsbG8=' }] }
    expect((await site.call('POST', '/v1/packages/publish', { token: bob.token, body })).status).toBe(403)
    const browser = await site.browser(bob.account.email)
    const taken = { kind: 'shortlink', slug: 'kept-ada', target: 'https://example.com/' }
    expect((await browser.call('POST', '/deployments/create', { body: taken })).status).toBe(400)
    await browser.call('POST', '/session/sign-out')
  })

  it('completes a deletion that was interrupted after any of its parts', async () => {
    const cy = await fullAccount('cy')
    // A record from an earlier verification of a zone that Bob has now.
    await site.sql(`insert into dns_record (zone_id, id, account_id, type, host, value, ttl, created_at, updated_at)
      select id, 999, ${String(cy.account.id)}, 'A', 'old', '192.0.2.1', 300, '', '' from dns_zone where name = 'bob.com'`)
    await site.sql(`insert into dns_former_holder (account_id, zone_id)
      select ${String(cy.account.id)}, id from dns_zone where name = 'bob.com'`)
    const { database: db } = site.app
    const stores = dnsStores(db, dnsSettings([]))
    const publisher = afterCommit({ stores, nameserver: undefined, notePublished: undefined })
    const blobs = await selectBlobs(site.blobs)
    const interruptedAfter = async (parts: number): Promise<boolean> => {
      let removed = 0
      const isInterrupted = new Error('interrupted')
      try {
        await deleteAccount({ db, publisher, blobs }, cy.account, () => {
          if (++removed === parts) throw isInterrupted
        })
        return false
      } catch (error) {
        if (error !== isInterrupted) throw error
        return true
      }
    }
    let parts = 1
    // The server would complete it between two attempts.
    await db.withJobLock(
      removalLock,
      async () => {
        while (await interruptedAfter(parts)) parts++
      },
      5_000,
    )
    expect(parts).toBeGreaterThan(12)
    await blobs.close()
    await expectGone(cy)
  })

  it('a server completes a deletion that was interrupted', async () => {
    const flo = await fullAccount('flo')
    const { database: db } = site.app
    const publisher = afterCommit({
      stores: dnsStores(db, dnsSettings([])),
      nameserver: undefined,
      notePublished: undefined,
    })
    const blobs = await selectBlobs(site.blobs)
    const interrupted = deleteAccount({ db, publisher, blobs }, flo.account, () => {
      throw new Error('interrupted')
    })
    await expect(interrupted).rejects.toThrow('interrupted')
    await blobs.close()
    const left = () => site.sql(`select id from account where id = ${String(flo.account.id)}`)
    await expect.poll(left, { timeout: 30_000 }).toEqual([])
    await expectGone(flo)
  }, 60_000)

  it('leaves nothing of requests that run meanwhile: they succeed before or get 401', async () => {
    const dan = await fullAccount('dan')
    const statuses = new Set<number>()
    let isOver = false
    const client = async (path: string, body: (n: number) => object) => {
      for (let n = 0; !isOver; n++)
        statuses.add((await site.call('POST', path, { token: dan.token, body: body(n) })).status)
    }
    const artifacts = [{ name: 'a.txt', content: Buffer.alloc(9_000).toString('base64') }]
    const clients = [
      client('/v1/files/upload', (n) => ({ name: `${n}.bin`, content: artifacts[0]?.content })),
      client('/v1/packages/publish', (n) => ({ slug: 'dan', version: `1.0.${n}`, artifacts })),
      client('/v1/cred', (n) => ({ platform: `github ${n}`, secret: 'hunter2' })),
      client(`/v1/dns/zones/${dan.zone}/records`, (n) => ({ type: 'A', host: `h${n}`, value: '192.0.2.1' })),
    ]
    await expect.poll(() => statuses.has(200)).toBe(true)
    await deleteUser(config(), dan.account.email, { confirm: () => Promise.resolve() })
    isOver = true
    await Promise.all(clients)
    expect([...statuses].filter((status) => ![200, 400, 401, 403].includes(status))).toEqual([])
    await expectGone(dan)
  })

  it('of two commands that delete an account at the same time, one deletes it, the other says so', async () => {
    const { email } = await site.account('eve@example.com')
    const deletion = () => deleteUser(config(), email, { confirm: () => Promise.resolve() })
    const outcomes = await Promise.allSettled([deletion(), deletion()])
    const refused = { status: 'rejected', reason: { message: `Another svc user delete has deleted ${email}.` } }
    expect(outcomes.toSorted((a, b) => a.status.localeCompare(b.status))).toMatchObject([
      { status: 'fulfilled' },
      refused,
    ])
  })
})
