import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { sqlOf } from '../stored-files.js'
import { guardedServer } from './guarded-server.js'

/** Lists without pages, and the calendar of 10,000 domains, do not block the event loop. */

const { place, send, expectNoGap } = guardedServer('sqlite')

const domains = 10_000
const key = 'a'.repeat(32)
const never = '9007199254740991'
const registration = JSON.stringify({
  registrar: 'Example Registrar, Inc.',
  registered_at: '1995-08-14T04:00:00.000Z',
  expires_at: '2027-08-13T04:00:00.000Z',
  nameservers: ['a.iana-servers.net', 'b.iana-servers.net'],
  statuses: ['client transfer prohibited'],
  synced_at: '2026-11-20T09:30:00.000Z',
})

it('4 parallel lists of 10,000 domains, and their calendar, do not block the event loop', async () => {
  await sqlOf(
    place(),
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${String(domains)})
      insert into domain (account_id, name, tld, note, registrar, expires_at, registration, due_at, failures, revision, changed_at)
      select 1, 'domain-' || i || '.com', 'com', 'Größe ' || i, 'Example Registrar, Inc.',
        ${String(Date.now())} + 86400000 * (i * 7919 % 3650), '${registration}', ${never}, 0, 1, 1 from n`,
  )
  const hash = createHash('sha256').update(key).digest('hex')
  await sqlOf(place(), `insert into domain_calendar (account_id, hash, created_at) values (1, x'${hash}', 1)`)
  let version = 0
  await expectNoGap(async () => {
    // Another version, so that the calendar is made again.
    await sqlOf(place(), `update domain set revision = ${String(++version)} where id = 1`)
    const paths = ['/v1/domains', `/calendar/${key}.ics`].flatMap((path) => Array<string>(4).fill(path))
    const answers = await Promise.all(paths.map((path) => send({ method: 'GET', path })))
    expect(answers.map((answer) => answer?.status)).toEqual(paths.map(() => 200))
  })
})

it('2 parallel lists of 1,000 zones, and of 100,000 sessions, do not block the event loop', async () => {
  const numbered = (count: number) =>
    `with recursive n(i) as (select cast(1 as bigint) union all select i + 1 from n where i < ${String(count)})`
  const now = String(Date.now())
  await sqlOf(
    place(),
    `${numbered(999)} insert into dns_claim (account_id, zone, status, method, created_at)
      select account.id, 'zone' || i || '.com', 'verified', 'auto', i from n cross join account`,
  )
  await sqlOf(
    place(),
    `${numbered(100_000)} insert into session (account_id, hash, ip, user_agent, created_at, last_seen_at)
      select account.id, cast('session' || i as blob), '192.0.2.1', 'Mozilla/5.0', ${now}, ${now}
      from n cross join account`,
  )
  for (const [path, field] of [
    ['/v1/dns/zones', '"zone":'],
    ['/v1/account/sessions', '"id":'],
  ] as const)
    await expectNoGap(async () => {
      const answers = await Promise.all(Array.from({ length: 2 }, () => send({ path })))
      for (const answer of answers) expect(answer?.text.split(field).length).toBe(field === '"id":' ? 100_001 : 1_001)
    })
})
