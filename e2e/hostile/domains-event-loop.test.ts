import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { sqlOf } from '../stored-files.js'
import { guardedServer } from './guarded-server.js'

/** No request about a portfolio of 10,000 domains blocks the event loop. */

const { place, send, expectNoGap } = guardedServer('sqlite')

const domains = 10_000
const key = 'a'.repeat(32)
const never = '9007199254740991'
const registration = JSON.stringify({
  ...{ registrar: 'Example Registrar, Inc.', registered_at: '1995-08-14T04:00:00.000Z' },
  ...{ expires_at: '2027-08-13T04:00:00.000Z', nameservers: ['a.iana-servers.net', 'b.iana-servers.net'] },
  ...{ statuses: ['client transfer prohibited'], synced_at: '2026-11-20T09:30:00.000Z' },
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
