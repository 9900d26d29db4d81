import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { postgresSession } from '../../../../test/postgres-session.js'
import { runSql } from '../../../../test/site.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import type { Database } from '../../../db/port.js'
import { openVault } from '../../../ports/vault/envelope-vault.js'
import type { Vault } from '../../../ports/vault/port.js'
import { accountStore } from '../accounts/store.js'
import { eventDeliveries } from './delivery-store.js'
import { outboxStore, type OutboxStore } from './outbox-store.js'
import { EventReader } from './reader.js'
import { webhookStore, type WebhookStore } from './webhook-store.js'

/** How events become deliveries: of two processes, after errors and after the end of a process. */

const signal = new AbortController().signal

describe.each(databaseKinds)('the reader of events for webhooks on %s', (kind) => {
  let site: TwoProcesses
  let folder: string
  let vault: Vault
  let webhooks: WebhookStore
  let renames = 0
  beforeAll(async () => {
    site = await twoProcesses(kind)
    folder = await mkdtemp(join(tmpdir(), 'svc-reader-'))
    vault = await openVault({ kind: 'file', file: join(folder, 'master.key') }, site.db)
    webhooks = webhookStore(site.db, vault)
  })
  afterAll(async () => {
    await site.stop()
    await rm(folder, { recursive: true })
  })
  beforeEach(async () => {
    await runSql(site.config, 'delete from account_webhook_delivery')
    await runSql(site.config, 'delete from account_webhook')
  })

  const reader = (db: Database, outbox: OutboxStore = outboxStore(db)) => {
    let added = 0
    const made = new EventReader({ db, outbox, onAdded: () => added++ })
    return { read: () => made.job.run(signal), stop: () => made.stop(), added: () => added }
  }
  const create = (person = 0, events = '[]') =>
    webhooks.create(site.people[person]!, { url: 'https://example.com/', events }, 'whsec_x')
  const rename = (person = 0) => accountStore(site.db).setNickname(site.people[person]!, `name ${String(++renames)}`)
  const deliveries = async () =>
    (
      await runSql(
        site.config,
        'select webhook_id, event_id from account_webhook_delivery order by webhook_id, event_id',
      )
    ).map((row) => [Number(row['webhook_id']), Number(row['event_id'])])
  const events = async (person = 0) =>
    (
      await runSql(
        site.config,
        `select id from account_event where action = 'nickname_change' and account_id = ${String(site.people[person]!.id)} order by id`,
      )
    ).map(({ id }) => Number(id))
  const position = async () =>
    Number((await runSql(site.config, 'select position from account_webhook_position'))[0]?.['position'])

  it('adds each event once, also when two processes read at the same time', async () => {
    const { id } = await create()
    await create(1)
    const known = (await events()).length
    const both = [reader(site.db), reader(site.otherDb)]
    const reads = setInterval(() => void Promise.all(both.map(({ read }) => read())), 5)
    for (let n = 0; n < 20; n++) await Promise.all([rename(), rename()])
    clearInterval(reads)
    const expected = (await events()).slice(known).map((event) => [id, event])
    expect(expected).toHaveLength(40)
    const readAll = async () => {
      // A read that found an open transaction has left the events after it to the next one.
      for (const { read } of both) await read()
      return deliveries()
    }
    await expect.poll(readAll).toEqual(expected)
    for (const { stop } of both) stop()
  })

  it('goes on behind the stored position after the end of a process, and misses nothing that happened meanwhile', async () => {
    const { id } = await create()
    const known = (await events()).length
    const before = reader(site.db)
    await rename()
    await before.read()
    before.stop()
    await rename()
    await rename()
    const after = reader(site.otherDb)
    await after.read()
    expect(await deliveries()).toEqual((await events()).slice(known).map((event) => [id, event]))
    expect(after.added()).toBe(1)
    after.stop()
  })

  it('reads events again that could not be added', async () => {
    const { id } = await create()
    const known = (await events()).length
    const outbox = outboxStore(site.db)
    let fails = true
    const add: OutboxStore['add'] = (...given) => {
      if (fails) throw new Error('The disk is full.')
      return outbox.add(...given)
    }
    const one = reader(site.db, { ...outbox, add })
    await rename()
    await expect(one.read()).rejects.toThrow('The disk is full.')
    fails = false
    await rename()
    await one.read()
    expect(await deliveries()).toEqual((await events()).slice(known).map((event) => [id, event]))
    one.stop()
  })

  it('a webhook gets the events behind its creation, and stores no position for events of other accounts', async () => {
    await rename()
    const at = await position()
    await create(0)
    const one = reader(site.db)
    for (let n = 0; n < 3; n++) await rename(2)
    await one.read()
    expect(await deliveries()).toEqual([])
    expect(await position()).toBe(at)
    one.stop()
  })

  it('stores the position now and then when no webhook has chosen an event', async () => {
    await create(0, '["sms"]')
    const one = reader(site.db)
    const row = `(${String(site.people[3]!.id)}, 1, 'account', 'sign_in', '', 'session', 'console')`
    await runSql(
      site.config,
      `insert into account_event (account_id, at, area, action, object, actor_kind, actor_name)
       values ${Array.from({ length: 6_000 }, () => row).join()}`,
    )
    const at = await position()
    await rename()
    await one.read()
    expect(await position()).toBeGreaterThan(at + 5_000)
    expect(await deliveries()).toEqual([])
    one.stop()
  })

  it('sends nothing of accounts of which nothing is served', async () => {
    await create(4)
    const id = String(site.people[4]!.id)
    await runSql(site.config, `update account set state = 'stopped' where id = ${id}`)
    await rename(4)
    const one = reader(site.db)
    await one.read()
    expect(await deliveries()).toEqual([])
    one.stop()
  })

  it('a delivery that a process has claimed and not sent counts no attempt', async () => {
    const { id } = await create()
    await rename()
    const one = reader(site.db)
    await one.read()
    const deliveries = eventDeliveries(site.db, vault, { error: () => undefined })
    const webhook = { webhookId: id, accountId: site.people[0]!.id, host: 'example.com' }
    const claim = async () => (await deliveries.claim([webhook], Date.now(), 20_000))[0]
    const first = await claim()
    expect(first).toMatchObject({ ...webhook, attempts: 1 })
    expect(await claim()).toBeUndefined()
    await deliveries.release(first!)
    expect(await claim()).toEqual(first)
    one.stop()
  })

  it('without a webhook, it writes nothing, and asks the database once', async () => {
    let reads = 0
    const db = {
      one: (...given: Parameters<Database['one']>) => {
        reads++
        return site.db.one(...given)
      },
      all: () => Promise.reject(new Error('No events are read.')),
      commitNumber: () => site.db.commitNumber(),
      writes: site.db.writes,
    } as unknown as Database
    const one = reader(db)
    await rename()
    await one.read()
    expect(reads).toBe(1)
    await one.read()
    expect(reads).toBe(kind === 'sqlite' ? 1 : 2)
    one.stop()
  })
})

it('an event of a transaction that commits late is not missed on postgres', async () => {
  const site = await twoProcesses('postgres')
  const folder = await mkdtemp(join(tmpdir(), 'svc-reader-'))
  const vault = await openVault({ kind: 'file', file: join(folder, 'master.key') }, site.db)
  const account = site.people[0]!
  const { id } = await webhookStore(site.db, vault).create(account, { url: 'https://example.com/', events: '[]' }, 'x')
  if (site.config.kind !== 'postgres') throw new Error('This test needs PostgreSQL.')
  const late = await postgresSession(site.config.url)
  await late.query('begin')
  await late.query(
    `insert into account_event (account_id, at, area, action, object, actor_kind, actor_name)
     values (${String(account.id)}, 1, 'account', 'sign_out', 'late', 'session', 'console')`,
  )
  await accountStore(site.db).setNickname(account, 'early')
  const reader = new EventReader({ db: site.db, outbox: outboxStore(site.db), onAdded: () => undefined })
  const count = async () =>
    (await runSql(site.config, `select * from account_webhook_delivery where webhook_id = ${String(id)}`)).length
  await reader.job.run(signal)
  expect(await count()).toBe(0)
  await late.query('commit')
  await late[Symbol.asyncDispose]()
  await reader.job.run(signal)
  await reader.job.run(signal)
  expect(await count()).toBe(2)
  reader.stop()
  await site.stop()
  await rm(folder, { recursive: true })
})
