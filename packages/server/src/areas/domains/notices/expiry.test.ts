import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { runSql } from '../../../../test/site.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import { expiryNotices } from './expiry.js'
import { expiryNoticeStore } from './expiry-store.js'

const day = 86_400_000
const now = Date.UTC(2026, 10, 27, 15)

describe.each(databaseKinds)('e-mails about domains that expire on %s', (kind) => {
  let site: TwoProcesses
  beforeAll(async () => {
    site = await twoProcesses(kind)
  })
  afterAll(() => site.stop())
  afterEach(async () => {
    for (const table of ['domain', 'mail_message', 'mail_opt_out']) await sql(`delete from ${table}`)
  })

  const sql = (statement: string) => runSql(site.config, statement)
  const ada = () => site.people[0]!.id
  const addDomain = (name: string, days: number | null, accountId = ada()) =>
    sql(`insert into domain (account_id, name, tld, note, registrar, expires_at, registration, due_at, failures, revision, changed_at)
      values (${String(accountId)}, '${name}', 'com', '', 'R', ${days === null ? 'null' : String(now + days * day)}, '{}', 0, 0, 0, 0)`)
  /** The index of the person, and the topic. */
  const topics = async () =>
    (await sql('select account_id, topic from mail_message'))
      .map((row) => {
        const index = site.people.findIndex(({ id }) => id === Number(row['account_id']))
        return `${String(index)} ${String(row['topic'])}`
      })
      .toSorted()
  const add = (at = now) => expiryNoticeStore(site.db).add(at)
  const mails = () =>
    expiryNotices(site.db, { isOn: true, wake: () => undefined }, 'https://svc.test').mails['domain-expiry']
  const dayOf = (days: number) => String(Math.floor((now + days * day) / day))

  it('come 30 days, 7 days and a day before, once for each day and account', async () => {
    await addDomain('in-31.com', 31)
    await addDomain('in-29.com', 29)
    await addDomain('also-in-29.com', 29)
    await addDomain('in-6.com', 6)
    await addDomain('today.com', 0.5)
    await addDomain('over.com', -1)
    await addDomain('unknown.com', null)
    await addDomain('in-29.com', 29, site.people[1]!.id)
    await add()
    await add(now + 1)
    const expected = [`0 1 ${dayOf(0.5)}`, `0 30 ${dayOf(29)}`, `0 7 ${dayOf(6)}`, `1 30 ${dayOf(29)}`]
    expect(await topics()).toEqual(expected)
    await add(now + 23 * day)
    expect(await topics()).toContain(`0 7 ${dayOf(29)}`)
    expect((await topics()).filter((topic) => topic === `0 30 ${dayOf(29)}`)).toHaveLength(1)
  })

  it('come not for accounts that have switched them off or are suspended', async () => {
    await addDomain('a.com', 5)
    await addDomain('a.com', 5, site.people[1]!.id)
    await sql(`insert into mail_opt_out (account_id, kind) values (${String(ada())}, 'domain-expiry')`)
    await sql(`update account set state = 'stopped' where id = ${String(site.people[1]!.id)}`)
    await add()
    expect(await topics()).toEqual([])
    await sql(`update account set state = 'active'`)
  })

  it('list the domains of the day when they are sent, and are not sent if all have been renewed', async () => {
    await addDomain('b.com', 5)
    await addDomain('a.com', 5)
    const mail = { accountId: ada(), topic: `7 ${dayOf(5)}`, recipient: '' }
    const content = await mails()!(mail)
    expect(content).toMatchObject({
      title: '2 domains will expire on 2026-12-02',
      facts: [
        ['a.com', 'R'],
        ['b.com', 'R'],
      ],
      action: { url: 'https://svc.test/console/domains' },
    })
    await sql(`delete from domain where name = 'b.com'`)
    expect((await mails()!(mail))?.title).toBe('a.com will expire on 2026-12-02')
    await sql(`update domain set registrar = null, expires_at = expires_at + ${String(365 * day)}`)
    expect(await mails()!(mail)).toBeUndefined()
    for (let i = 0; i < 52; i++) await addDomain(`d${String(i)}.com`, 5)
    expect((await mails()!(mail))?.paragraphs[1]).toBe('Only the first 50 domains are listed.')
    await sql('update domain set registrar = null')
    expect((await mails()!(mail))?.facts?.[0]?.[1]).toBe('unknown registrar')
  })

  it('are added by a job, only with a mail server', async () => {
    let woken = 0
    const outbox = { isOn: true, wake: () => void woken++ }
    await addDomain('a.com', (Date.now() - now) / day + 5)
    await expiryNotices(site.db, outbox, 'https://svc.test').jobs[0]?.run(new AbortController().signal)
    expect([woken, (await topics()).length]).toEqual([1, 1])
    expect(expiryNotices(site.db, { ...outbox, isOn: false }, 'https://svc.test').jobs).toEqual([])
  })
})
